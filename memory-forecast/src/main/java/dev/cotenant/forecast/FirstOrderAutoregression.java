package dev.cotenant.forecast;

import java.util.List;
import java.util.Optional;

/**
 * AR(1): ŷ_{t+1} = c + φ · y_t, fitted by ordinary least squares.
 *
 * <p>With x = y_t and y = y_{t+1} over all pairs, φ = Σ(x − x̄)(y − ȳ) / Σ(x − x̄)² and c = ȳ −
 * φ·x̄; linear in the number of values. The papers write μ for c, which is the intercept and not
 * the mean [Kube-Knots, Peak Prediction; ResAware, section 5]. Neither coefficient is bounded: on a
 * short window φ may be far above 1 and the forecast of any size or sign.
 *
 * @param intercept c, in the unit of the values
 * @param slope φ, without a unit
 */
record FirstOrderAutoregression(double intercept, double slope) {

  /**
   * Least-squares fit of each value on its predecessor.
   *
   * @param runs values at even steps, one array for each stretch without a gap; a value is paired
   *     with its successor in the same run only
   * @return empty where all predecessors are equal or there is none: no line is determined
   */
  static Optional<FirstOrderAutoregression> fit(List<double[]> runs) {
    int pairs = 0;
    double sumX = 0;
    double sumY = 0;
    for (double[] run : runs) {
      for (int i = 0; i + 1 < run.length; i++) {
        pairs++;
        sumX += run[i];
        sumY += run[i + 1];
      }
    }
    if (pairs == 0 || predecessorsAreEqual(runs)) {
      return Optional.empty();
    }
    return Optional.of(fitAround(runs, sumX / pairs, sumY / pairs));
  }

  private static FirstOrderAutoregression fitAround(
      List<double[]> runs, double meanX, double meanY) {
    double squares = 0;
    double products = 0;
    for (double[] run : runs) {
      for (int i = 0; i + 1 < run.length; i++) {
        squares += (run[i] - meanX) * (run[i] - meanX);
        products += (run[i] - meanX) * (run[i + 1] - meanY);
      }
    }
    double slope = products / squares;
    return new FirstOrderAutoregression(meanY - slope * meanX, slope);
  }

  private static boolean predecessorsAreEqual(List<double[]> runs) {
    double smallest = Double.POSITIVE_INFINITY;
    double largest = Double.NEGATIVE_INFINITY;
    for (double[] run : runs) {
      for (int i = 0; i + 1 < run.length; i++) {
        smallest = Math.min(smallest, run[i]);
        largest = Math.max(largest, run[i]);
      }
    }
    return smallest == largest;
  }

  /** The forecast that follows {@code last}. */
  double next(double last) {
    return intercept + slope * last;
  }
}
