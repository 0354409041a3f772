package dev.cotenant.interference.risk;

/**
 * How much risk tenants take.
 *
 * @param budget largest probability, for each tenant, to be slowed beyond its limit
 * @param trialRisk risk budget of a trial, at least {@code budget}
 * @param trialShare most trials as a share of the jobs placed, 0 to 1
 */
public record RiskBudget(double budget, double trialRisk, double trialShare) {
  public RiskBudget {
    if (!(budget >= 0 && budget <= 1)) {
      throw new IllegalArgumentException("budget is " + budget + ", outside 0 to 1");
    }
    if (!(trialRisk >= budget && trialRisk <= 1)) {
      throw new IllegalArgumentException(
          "risk of a trial is " + trialRisk + ", outside " + budget + " to 1");
    }
    if (!(trialShare >= 0 && trialShare <= 1)) {
      throw new IllegalArgumentException("share of trials is " + trialShare + ", outside 0 to 1");
    }
  }

  /** Without trials. */
  public static RiskBudget withoutExploration(double budget) {
    return new RiskBudget(budget, budget, 0);
  }
}
