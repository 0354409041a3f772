package dev.cotenant.domain.decision;

/**
 * How much risk a workload takes of being slowed beyond its limit.
 *
 * @param budget largest probability of it, 0 to 1
 * @param rule when the budget binds
 * @param exploration beyond the budget
 */
public record RiskLimit(double budget, Rule rule, Exploration exploration) {
  /** When a budget binds. */
  public enum Rule {
    /** Never. */
    OFF,
    /** Among workloads with measured colocated speeds. */
    LEARNED,
    /** Always; unmeasured workloads have the risk of the prior. */
    ALWAYS
  }

  /**
   * Shares beyond the budget, from which is learned how pairs get on.
   *
   * @param share maximum share of a namespace's tenants that came in a trial, 0 to 1; 0 without
   *     trials
   * @param mostRisk largest probability of a larger slowdown that a workload takes in one, 0 to 1
   * @param isOne whether it was granted in a trial
   */
  public record Exploration(double share, double mostRisk, boolean isOne) {
    /** No part in trials; 35 % where a share of them is allowed and nothing else is stated. */
    public static final Exploration NONE = new Exploration(0, 0.35, false);

    public Exploration {
      requireShare("share of trials", share);
      requireShare("risk in trials", mostRisk);
    }

    /** Before a grant. */
    public Exploration(double share, double mostRisk) {
      this(share, mostRisk, false);
    }

    /** Here and not outside: constants outside need those of this class, whichever comes first. */
    private static void requireShare(String what, double value) {
      if (!(value >= 0 && value <= 1)) {
        throw new IllegalArgumentException(what + " must be in [0, 1], is " + value);
      }
    }

    /** Whether there may be any. */
    public boolean areAllowed() {
      return share > 0 && mostRisk > 0;
    }
  }

  /** One in ten, once measured; no trials. */
  public static final RiskLimit DEFAULT = new RiskLimit(0.10, Rule.LEARNED);

  /** No budget. */
  public static final RiskLimit NONE = new RiskLimit(1, Rule.OFF);

  public RiskLimit {
    Exploration.requireShare("risk budget", budget);
  }

  /** Without trials. */
  public RiskLimit(double budget, Rule rule) {
    this(budget, rule, Exploration.NONE);
  }

  /** The same with these trials. */
  public RiskLimit withExploration(Exploration other) {
    return new RiskLimit(budget, rule, other);
  }

  /**
   * Copy with a workload's own budget, which always binds, never exceeds the policy's, and excludes
   * trials.
   */
  public RiskLimit stated(double own) {
    return new RiskLimit(Math.min(own, budget), Rule.ALWAYS);
  }

  /** Copy for a workload granted as a trial. */
  public RiskLimit exploring() {
    return withExploration(new Exploration(exploration.share, exploration.mostRisk, true));
  }

  /** Largest probability in a trial; the budget if trials are not allowed. */
  public double mostInExploration() {
    return exploration.areAllowed() ? Math.max(budget, exploration.mostRisk) : budget;
  }
}
