package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.Slowdown;
import java.util.Locale;

/**
 * The risk that a workload is slowed beyond its limit.
 *
 * @param workload its name
 * @param probability of a larger slowdown, 0 to 1
 * @param budget largest probability that it takes
 * @param limit of its slowdown
 * @param cause the effect that slows it most
 * @param source where the measured speeds of the workload come from; empty where there are none
 */
public record SlowdownRisk(
    String workload,
    double probability,
    double budget,
    Slowdown limit,
    String cause,
    String source) {

  /** Whether the risk is larger than the budget. */
  public boolean isExceeded() {
    return probability > budget;
  }

  /** The numbers on one line, for people. */
  public String sentence() {
    return String.format(
            Locale.ROOT,
            "risk %.1f %% that %s is slowed beyond %s, budget %.1f %%, largest contribution: %s",
            100 * probability,
            workload,
            limit,
            100 * budget,
            cause)
        + (source.isEmpty() ? "" : ", speeds by " + source);
  }
}
