package dev.cotenant.forecast;

import dev.cotenant.learning.quantile.SortedSample;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The statistics of a sample that the ResAware chain is made of. Results have the unit of the
 * values.
 *
 * <p>Deviations are taken from the first value before they are averaged, so a constant sample has a
 * standard deviation of exactly 0 and large sizes lose no digits. All are linear in the number of
 * values but {@link #percentile}, which sorts.
 */
final class SampleStatistics {
  private SampleStatistics() {}

  /** Arithmetic mean of at least one value. */
  static double mean(double[] values) {
    requireValues(values);
    double origin = values[0];
    double sum = 0;
    for (double value : values) {
      sum += value - origin;
    }
    return origin + sum / values.length;
  }

  /**
   * <em>Population</em> standard deviation (divides by n), as {@code stddev_over_time} of
   * Prometheus, from which the paper's scheduler reads its series.
   */
  static double standardDeviation(double[] values) {
    return Math.sqrt(sumOfSquaredDeviations(values) / values.length);
  }

  /**
   * Coefficient of variation σ/μ, at least 0 for values that are; 0 for a constant sample.
   *
   * @return empty where the mean is 0, for which the ratio is undefined
   */
  static OptionalDouble coefficientOfVariation(double[] values) {
    double mean = mean(values);
    return mean == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(standardDeviation(values) / Math.abs(mean));
  }

  /**
   * The value at rank {@code fraction · (n − 1)} of the sorted values, linearly interpolated
   * between its neighbours, as {@code quantile_over_time} of Prometheus.
   *
   * @param fraction between 0 (smallest value) and 1 (largest)
   */
  static double percentile(double[] values, double fraction) {
    requireValues(values);
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new IllegalArgumentException("fraction must be in [0, 1], is " + fraction);
    }
    return new SortedSample(values).at(fraction);
  }

  /**
   * Autocorrelation of order k, between −1 and 1.
   *
   * <p>r_k = Σ_{i=1}^{n−k} (y_i − ȳ)(y_{i+k} − ȳ) / Σ_{i=1}^{n} (y_i − ȳ)² [Kube-Knots, equation of
   * r_k in its Peak Prediction section]. Mean and denominator are over all values. Products are
   * formed only inside a run, never across a gap, which draws r_k towards 0; with a single run the
   * formula is the published one.
   *
   * @param runs values at even steps, one array for each stretch without a gap
   * @param order k, at least 1
   * @return empty where all values are equal, for which the ratio is undefined
   */
  static OptionalDouble autocorrelation(List<double[]> runs, int order) {
    if (order < 1) {
      throw new IllegalArgumentException("order must be at least 1, is " + order);
    }
    double[] all = runs.stream().flatMapToDouble(Arrays::stream).toArray();
    double mean = mean(all);
    double squares = sumOfSquaredDeviations(all);
    if (squares == 0) {
      return OptionalDouble.empty();
    }
    double products = 0;
    for (double[] run : runs) {
      for (int i = 0; i + order < run.length; i++) {
        products += (run[i] - mean) * (run[i + order] - mean);
      }
    }
    return OptionalDouble.of(products / squares);
  }

  private static double sumOfSquaredDeviations(double[] values) {
    double mean = mean(values);
    double sum = 0;
    for (double value : values) {
      sum += (value - mean) * (value - mean);
    }
    return sum;
  }

  private static void requireValues(double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("values must not be empty");
    }
  }
}
