package dev.cotenant.interference.risk;

import dev.cotenant.learning.quantile.Normal;

/**
 * Estimate of the logarithm of a speed: a normal distribution.
 *
 * @param mean of the logarithm
 * @param deviation of the true value, measurement noise aside
 * @param explanation the effect that slows the victim most
 */
public record SpeedEstimate(double mean, double deviation, Explanation explanation) {
  /** Below, probabilities are rounded to 0. */
  private static final double MIN_QUANTILE = -38;

  /**
   * The effect that lowers the mean most.
   *
   * @param effect which
   * @param subject configuration or model it belongs to; empty for effects of usage
   */
  public record Explanation(Effect effect, String subject) {}

  /**
   * The probability that the slowdown is larger than a limit.
   *
   * @param limit of the slowdown, at least 1
   */
  public double risk(double limit) {
    double excess = -StrictMath.log(limit) - mean;
    return deviation > 0 ? Normal.below(excess / deviation) : excess > 0 ? 1 : 0;
  }

  /**
   * Quantile of the logarithm of the slowdown, the inverse of {@link #risk}; smaller slowdowns have
   * a larger risk.
   *
   * @param probability 0 to 1; no slowdown exceeds 1, and 0 counts as the least probability that a
   *     number holds
   */
  public double logSlowdown(double probability) {
    if (probability >= 1) {
      return Double.NEGATIVE_INFINITY;
    }
    double quantile = probability > 0 ? Normal.quantile(probability) : MIN_QUANTILE;
    return -(mean + Math.max(MIN_QUANTILE, quantile) * deviation);
  }
}
