package dev.cotenant.simulator.replay;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.policy.Policies;
import java.util.List;

/**
 * What a replay answers.
 *
 * @param policies names of the registry; the first is the baseline
 * @param decider the product's decision
 * @param limits of sharing
 * @param draws of the errors of the interference model, 1 to 100
 */
public record ReplaySettings(
    List<String> policies, SharingDecider decider, SharingLimits limits, int draws) {
  /** Baseline policy of comparisons. */
  public static final String BASELINE = "exclusive";

  /** One job a GPU, two that clusters use, the product's, and what no policy can exceed. */
  public static final List<String> DEFAULT_POLICIES =
      List.of(BASELINE, "gpushare", "utilization", "profile-once", "decide", "oracle");

  public static final int DEFAULT_DRAWS = 5;
  private static final int MAX_DRAWS = 100;

  /**
   * @throws InputException ({@code unknown-policy}) where the registry lacks a policy
   */
  public ReplaySettings {
    policies = List.copyOf(policies);
    policies.forEach(Policies::named);
    if (policies.isEmpty() || !policies.getFirst().equals(BASELINE)) {
      throw new IllegalArgumentException("the first policy must be " + BASELINE);
    }
    if (draws < 1 || draws > MAX_DRAWS) {
      throw new IllegalArgumentException("draws must be 1 to " + MAX_DRAWS + ", is " + draws);
    }
  }
}
