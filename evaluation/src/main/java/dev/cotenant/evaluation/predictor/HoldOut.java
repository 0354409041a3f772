package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One way to hold rows out.
 *
 * @param training what is learned from
 * @param test what is judged by
 */
record HoldOut(Training training, List<ProfileRow> test) {
  HoldOut {
    test = List.copyOf(test);
  }

  /**
   * @param many rows to learn from
   * @param few rows of the held-out kind, where a few were measured
   */
  record Training(List<ProfileRow> many, List<ProfileRow> few) {
    Training {
      many = List.copyOf(many);
      few = List.copyOf(few);
    }

    List<ProfileRow> all() {
      List<ProfileRow> all = new ArrayList<>(many);
      all.addAll(few);
      return all;
    }
  }

  /**
   * The same where rows whose network was inferred from their memory judge no memory; splits
   * without rows to judge by are left out.
   */
  static List<HoldOut> judging(List<HoldOut> splits, Target target) {
    return splits.stream()
        .map(split ->
            new HoldOut(
                split.training, split.test.stream().filter(row -> judges(row, target)).toList()))
        .filter(split -> !split.test.isEmpty())
        .toList();
  }

  /** Whether a row may score predictions of a target. */
  static boolean judges(ProfileRow row, Target target) {
    return target != Target.PEAK_MEMORY || row.judgesMemory();
  }

  static HoldOut of(List<ProfileRow> rows, Folds.Split split) {
    return new HoldOut(
        new Training(select(rows, split.train()), List.of()), select(rows, split.test()));
  }

  static List<ProfileRow> select(List<ProfileRow> rows, int... indices) {
    return Arrays.stream(indices).mapToObj(rows::get).toList();
  }
}
