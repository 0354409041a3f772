package dev.cotenant.evaluation.llm;

import java.util.List;
import java.util.function.Function;

/** Whether rows have enough families. */
final class Families {
  private Families() {}

  /**
   * Bounds need two families to learn from; leaving one out for a score takes a third.
   *
   * @param test rows to score; empty where the rows themselves are scored
   */
  static <R> boolean suffices(List<R> rows, List<R> test, Function<R, String> family) {
    return rows.stream().map(family).distinct().count() >= (test.isEmpty() ? 3 : 2);
  }
}
