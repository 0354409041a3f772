package dev.cotenant.learning.quantile;

import org.hipparchus.distribution.continuous.TDistribution;

/** Student's t distribution, for intervals of means of a few independent values. */
public final class StudentT {
  private StudentT() {}

  /**
   * Half of the width of an interval of a mean.
   *
   * @param level of the interval, such as 0.95
   * @param deviation standard deviation of the values, with the divisor count − 1
   * @param count number of values; the width for a single value is 0
   */
  public static double halfWidth(double level, double deviation, int count) {
    if (!(level > 0 && level < 1) || count < 1) {
      throw new IllegalArgumentException(
          "level must be in (0, 1) and count at least 1, are " + level + ", " + count);
    }
    if (count == 1) {
      return 0;
    }
    double quantile = new TDistribution(count - 1).inverseCumulativeProbability((1 + level) / 2);
    return quantile * deviation / Math.sqrt(count);
  }
}
