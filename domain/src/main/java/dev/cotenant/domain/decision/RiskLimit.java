package dev.cotenant.domain.decision;

/**
 * How much risk a workload takes of being slowed beyond its limit.
 *
 * @param budget largest probability of it, 0 to 1
 * @param rule when the budget binds
 */
public record RiskLimit(double budget, Rule rule) {
  /** When a budget binds. */
  public enum Rule {
    /** Never. */
    OFF,
    /** Among workloads whose speeds beside others were measured. */
    LEARNED,
    /** Always; what was not measured has the risk of the prior. */
    ALWAYS
  }

  /** One in ten, once measured. */
  public static final RiskLimit DEFAULT = new RiskLimit(0.10, Rule.LEARNED);

  /** No budget. */
  public static final RiskLimit NONE = new RiskLimit(1, Rule.OFF);

  public RiskLimit {
    if (!(budget >= 0 && budget <= 1)) {
      throw new IllegalArgumentException("risk budget must be in [0, 1], is " + budget);
    }
  }

  /** With the budget that a workload states itself: it binds always, and never allows more. */
  public RiskLimit stated(double own) {
    return new RiskLimit(Math.min(own, budget), Rule.ALWAYS);
  }
}
