package dev.cotenant.evaluation.llm;

import java.util.List;
import java.util.function.Function;

/** How many families rows have: leaving one out needs two. */
final class FamilyCount {
  private FamilyCount() {}

  static <R> long of(List<R> rows, Function<R, String> family) {
    return rows.stream().map(family).distinct().count();
  }
}
