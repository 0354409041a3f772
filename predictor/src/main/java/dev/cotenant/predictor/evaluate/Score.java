package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
import java.util.Arrays;
import java.util.List;

/**
 * One test row: plain logarithms (log1p of percent, log of MiB) of what was measured and predicted.
 *
 * @param family of the row's model
 * @param device it ran on
 * @param origin who measured it
 */
record Score(String family, String device, String origin, double actual, double predicted) {

  static Score of(ProfileRow row, Target target, double predicted) {
    return new Score(
        row.family(), row.device().value(), Folds.origin(row), target.plainLogOf(row), predicted);
  }

  /**
   * Root mean squared logarithmic error: of log1p of percent, or of MiB (where log1p and log differ
   * by less than a thousandth).
   */
  static double rmsle(List<Score> scores) {
    double sum = 0;
    for (Score score : scores) {
      double residual = score.predicted - score.actual;
      sum += residual * residual;
    }
    return Math.sqrt(sum / scores.size());
  }

  /** Mean absolute error in percentage points of utilization. */
  static double meanAbsolutePoints(List<Score> scores) {
    return scores.stream()
        .mapToDouble(score -> Math.abs(percent(score.predicted) - percent(score.actual)))
        .average()
        .orElseThrow();
  }

  static double percent(double log) {
    return Math.clamp(Math.expm1(log), 0, 100);
  }

  /** Median of |predicted − actual| over actual, as a fraction. */
  static double medianRelativeError(List<Score> scores) {
    double[] errors =
        scores.stream()
            .mapToDouble(score -> Math.abs(Math.expm1(score.predicted - score.actual)))
            .sorted()
            .toArray();
    int middle = errors.length / 2;
    return errors.length % 2 == 1
        ? errors[middle]
        : Arrays.stream(errors, middle - 1, middle + 1).average().orElseThrow();
  }

  /** The second error beside RMSLE, in the target's own terms. */
  static String plainMetric(Target target) {
    return target == Target.UTILIZATION ? "mae_points" : "median_ape";
  }

  static double plainError(Target target, List<Score> scores) {
    return target == Target.UTILIZATION ? meanAbsolutePoints(scores) : medianRelativeError(scores);
  }
}
