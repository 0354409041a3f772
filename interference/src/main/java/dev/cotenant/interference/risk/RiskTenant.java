package dev.cotenant.interference.risk;

import dev.cotenant.domain.quantity.Slowdown;

/**
 * A job with its limits.
 *
 * @param job what is known of it
 * @param limit of its slowdown; a tenant with a limit of 1 never takes part in trials
 */
public record RiskTenant(SharedJob job, Slowdown limit) {
  boolean mayExplore() {
    return limit.ratio() > 1;
  }
}
