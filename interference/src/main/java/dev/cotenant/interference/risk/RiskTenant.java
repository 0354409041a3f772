package dev.cotenant.interference.risk;

import dev.cotenant.domain.quantity.Slowdown;

/**
 * A job with its limits.
 *
 * @param job what is known of it
 * @param limit of its slowdown
 * @param consent whether it takes part in trials; a tenant with a limit of 1 never does
 */
public record RiskTenant(SharedJob job, Slowdown limit, ExplorationConsent consent) {
  /** Consent to exploration. */
  public enum ExplorationConsent {
    ALLOWED,
    REFUSED
  }

  boolean mayExplore() {
    return consent == ExplorationConsent.ALLOWED && limit.ratio() > 1;
  }
}
