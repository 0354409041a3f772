package dev.cotenant.evaluation.llm;

import dev.cotenant.llm.fit.FamilyBound;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Runs, each with what was learned without its family; or runs to test, with what was learned from
 * all others.
 *
 * @param row the run
 * @param learned from rows that hold no run of its family
 */
record HeldOut<R, M>(R row, M learned) {
  /**
   * Leaves one family out at a time where there is nothing to test.
   *
   * @param data to learn from
   * @param test to score; empty for the data themselves
   */
  static <R, M> List<HeldOut<R, M>> of(
      List<R> data, List<R> test, Function<R, String> family, Function<List<R>, M> learn) {
    List<HeldOut<R, M>> cases = new ArrayList<>();
    if (!test.isEmpty()) {
      M learned = learn.apply(data);
      test.forEach(row -> cases.add(new HeldOut<>(row, learned)));
      return cases;
    }
    FamilyBound.byFamily(data, family)
        .forEach((name, members) -> {
          List<R> others = data.stream().filter(row -> !family.apply(row).equals(name)).toList();
          if (!others.isEmpty()) {
            M learned = learn.apply(others);
            members.forEach(row -> cases.add(new HeldOut<>(row, learned)));
          }
        });
    return cases;
  }
}
