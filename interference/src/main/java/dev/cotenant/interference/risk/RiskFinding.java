package dev.cotenant.interference.risk;

/**
 * The risk of the tenant of a GPU that is most at risk, for reasons and pages.
 *
 * @param tenant configuration of the tenant
 * @param risk probability that it is slowed beyond its limit
 * @param budget largest risk that it takes
 * @param largest the effect that slows it most
 */
public record RiskFinding(
    String tenant, double risk, double budget, SpeedEstimate.Explanation largest) {
  /** Whether the risk is within the budget. */
  public boolean isWithinBudget() {
    return risk <= budget;
  }
}
