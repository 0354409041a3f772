package dev.cotenant.predictor.correct;

import dev.cotenant.learning.quantile.Quantiles;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * By what a base's bounds are stretched, as a cluster's own runs demand.
 *
 * @param above factor on the distance from the estimate to the upper bound, positive
 * @param below factor on the distance to the lower bound
 * @param runs how many runs it was measured on
 */
record BoundScale(double above, double below, int runs) {
  /*
   * Split-conformal with the base's own width as the scale. With fewer than nine runs there is no such
   * rank; then bounds are only ever widened, to the largest error seen.
   */
  static final double COVERAGE = 0.9;
  private static final int MIN_RUNS = 9;
  private static final double MIN = 0.05;

  /** The base's own. */
  static final BoundScale NONE = new BoundScale(1, 1, 0);

  BoundScale {
    if (!(above > 0 && below > 0 && above < 1e6 && below < 1e6) || runs < 0) {
      throw new IllegalArgumentException(
          "factors must be positive, are " + above + " and " + below + " of " + runs + " runs");
    }
  }

  /** Measured on errors that the correction did not learn from. */
  static BoundScale of(List<Residual> leftOut) {
    return new BoundScale(
        quantile(leftOut, r -> r.error() / r.base().above()),
        quantile(leftOut, r -> -r.error() / r.base().below()),
        leftOut.size());
  }

  private static double quantile(List<Residual> leftOut, ToDoubleFunction<Residual> inWidths) {
    if (leftOut.isEmpty()) {
      return 1;
    }
    double widths = Quantiles.conformal(leftOut.stream().mapToDouble(inWidths).toArray(), COVERAGE);
    return Math.clamp(widths, leftOut.size() < MIN_RUNS ? 1 : MIN, 1e5);
  }

  /** The same, but never narrower than the base's: for questions unlike what was measured. */
  BoundScale orWider() {
    return new BoundScale(Math.max(1, above), Math.max(1, below), runs);
  }

  /** Whether 90 % coverage was measured on runs like these. */
  boolean isMeasured() {
    return runs >= MIN_RUNS;
  }
}
