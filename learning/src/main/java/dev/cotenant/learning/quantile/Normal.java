package dev.cotenant.learning.quantile;

import org.hipparchus.distribution.continuous.NormalDistribution;

/** The standard normal distribution. */
public final class Normal {
  private static final NormalDistribution STANDARD = new NormalDistribution();

  private Normal() {}

  /** The probability of a value below z. */
  public static double below(double z) {
    return STANDARD.cumulativeProbability(z);
  }

  /** The number below which {@code share} of the distribution lies; {@code share} in (0, 1). */
  public static double quantile(double share) {
    return STANDARD.inverseCumulativeProbability(share);
  }
}
