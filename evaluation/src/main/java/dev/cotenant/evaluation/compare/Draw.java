package dev.cotenant.evaluation.compare;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.model.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * One draw of rows, divided.
 *
 * @param train to learn from
 * @param test to judge by
 * @param seed what decided, and what learners decide by
 */
record Draw(List<ProfileRow> train, List<ProfileRow> test, long seed) {
  /** Rows of the pool, uniformly and without replacement, in random order. */
  static Draw of(List<ProfileRow> pool, long seed) {
    Random random = new Random(seed);
    List<ProfileRow> rows = new ArrayList<>(pool);
    for (int place = 0; place < Table3.ROWS; place++) {
      int other = place + random.nextInt(rows.size() - place);
      ProfileRow drawn = rows.get(other);
      rows.set(other, rows.get(place));
      rows.set(place, drawn);
    }
    int trained = Table3.ROWS - Table3.TEST_ROWS;
    return new Draw(
        List.copyOf(rows.subList(0, trained)),
        List.copyOf(rows.subList(trained, Table3.ROWS)),
        seed);
  }

  /**
   * The errors of one learner.
   *
   * @param rmsle of log1p of percent
   * @param meanPoints mean absolute error in percentage points
   */
  record Errors(double rmsle, double meanPoints) {}

  Errors judge(UtilizationLearner learner) {
    Function<ProfileRow, Utilization> learned = learner.fit(train, seed);
    double squares = 0;
    double points = 0;
    for (ProfileRow row : test) {
      double actual = Target.UTILIZATION.logOf(row);
      double predicted = learned.apply(row).percent();
      double miss = Math.log1p(predicted) - actual;
      squares += miss * miss;
      points += Math.abs(predicted - Math.expm1(actual));
    }
    return new Errors(Math.sqrt(squares / test.size()), points / test.size());
  }
}
