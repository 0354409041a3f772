package dev.cotenant.interference.risk;

/**
 * The prior distribution, before any pair is measured: no slowdown on average.
 *
 * @param scale of the products of usage
 * @param deviations of all effects
 */
public record RiskPrior(UsageScale scale, Deviations deviations) {
  /** The prior that ships, stated and not fitted: one deviation for every effect. */
  public static final RiskPrior STATED = new RiskPrior(UsageScale.UNIFORM, Deviations.all(0.03));
}
