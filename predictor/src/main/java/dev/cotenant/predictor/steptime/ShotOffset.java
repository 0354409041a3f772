package dev.cotenant.predictor.steptime;

import java.util.Arrays;

/**
 * How a few measured runs of the same family or device shift predictions: the median of their log
 * residuals, shrunk to 0.
 */
public final class ShotOffset {
  /** Runs that are worth as much as the expectation that nothing differs. */
  private static final double PRIOR_RUNS = 2;

  private ShotOffset() {}

  /**
   * Of log ratios of measured to predicted times.
   *
   * @return what to add to log predictions; 0 without any
   */
  public static double of(double[] logRatios) {
    double[] sorted = logRatios.clone();
    Arrays.sort(sorted);
    int count = sorted.length;
    if (count == 0) {
      return 0;
    }
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    return median * count / (count + PRIOR_RUNS);
  }
}
