package dev.cotenant.evaluation.predictor;

import dev.cotenant.evaluation.Scores;
import dev.cotenant.predictor.model.Target;

/** Errors of scores in plain logarithms. */
final class LogErrors {
  private LogErrors() {}

  /**
   * Root mean squared logarithmic error: of log1p of percent, or of MiB (where log1p and log differ
   * by less than a thousandth).
   */
  static double rmsle(Scores scores) {
    return scores.rootMeanSquare();
  }

  /** Mean absolute error in percentage points of utilization. */
  static double meanAbsolutePoints(Scores scores) {
    return scores.mean((actual, predicted) -> Math.abs(percent(predicted) - percent(actual)));
  }

  static double percent(double log) {
    return Math.clamp(Math.expm1(log), 0, 100);
  }

  /** Median of |predicted − actual| over actual, as a fraction. */
  static double medianRelativeError(Scores scores) {
    return scores.quantile((actual, predicted) -> Math.abs(Math.expm1(predicted - actual)), 0.5);
  }

  /** The second error beside RMSLE, in the target's own terms. */
  static String plainMetric(Target target) {
    return target == Target.UTILIZATION ? "mae_points" : "median_ape";
  }

  static double plainError(Target target, Scores scores) {
    return target == Target.UTILIZATION ? meanAbsolutePoints(scores) : medianRelativeError(scores);
  }
}
