package dev.cotenant.interference;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.learning.quantile.Normal;

/**
 * An estimate with one-sided bounds, each meant to hold in 90 % of cases.
 *
 * @param mean the estimate
 * @param lower at most the estimate
 * @param upper at least the estimate
 */
public record Interval(double mean, double lower, double upper) {
  /** What the bounds are meant to hold. */
  public static final double COVERAGE = 0.9;

  /** The 90 % quantile of the normal distribution. */
  public static final double NORMAL_QUANTILE = 1.2815515655446004;

  public Interval {
    if (!(lower <= mean && mean <= upper && lower >= 0 && upper < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "must hold 0 <= lower <= mean <= upper, is " + lower + ", " + mean + ", " + upper);
    }
  }

  /** Around a mean whose logarithm has this standard deviation. */
  public static Interval logNormal(double mean, double deviation) {
    double factor = Math.exp(NORMAL_QUANTILE * deviation);
    return new Interval(mean, mean / factor, mean * factor);
  }

  /** The same with one-sided bounds that hold in another share of cases, at least half. */
  public static Interval logNormal(double mean, double deviation, Coverage level) {
    double factor = Math.exp(Math.max(0, Normal.quantile(level.fraction())) * deviation);
    return new Interval(mean, mean / factor, mean * factor);
  }

  /** Every value at least {@code least}. */
  public Interval atLeast(double least) {
    return new Interval(Math.max(least, mean), Math.max(least, lower), Math.max(least, upper));
  }
}
