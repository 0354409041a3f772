package dev.cotenant.interference.risk;

import dev.cotenant.domain.quantity.Slowdown;

/**
 * A job with what was promised to it.
 *
 * @param job what is known of it
 * @param limit of its slowdown
 * @param trials whether it takes part in trials; a tenant with a limit of 1 never does
 */
public record RiskTenant(SharedJob job, Slowdown limit, Trials trials) {
  /** Consent to trials. */
  public enum Trials {
    ALLOWED,
    REFUSED
  }

  boolean takesPartInTrials() {
    return trials == Trials.ALLOWED && limit.ratio() > 1;
  }
}
