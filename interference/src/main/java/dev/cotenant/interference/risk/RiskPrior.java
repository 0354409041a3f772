package dev.cotenant.interference.risk;

/**
 * The prior distribution, before any pair is measured.
 *
 * @param scale of the products of usage
 * @param deviations of all effects
 * @param mean of the logarithm of a speed
 */
public record RiskPrior(UsageScale scale, Deviations deviations, Mean mean) {
  /**
   * The prior that ships, stated and not fitted: one deviation for every effect, no slowdown on
   * average.
   */
  public static final RiskPrior STATED = new RiskPrior(UsageScale.UNIFORM, Deviations.all(0.03));

  /** Mean of the logarithm of the victim's speed beside the aggressors over its speed alone. */
  @FunctionalInterface
  public interface Mean {
    /** No slowdown. */
    Mean NONE = _ -> 0;

    /** At most 0, unless neighbours are expected to help. */
    double logSpeed(Sharing sharing);
  }

  /** Without slowdown on average. */
  public RiskPrior(UsageScale scale, Deviations deviations) {
    this(scale, deviations, Mean.NONE);
  }
}
