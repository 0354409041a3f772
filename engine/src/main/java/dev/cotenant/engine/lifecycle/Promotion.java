package dev.cotenant.engine.lifecycle;

import java.time.Instant;

/**
 * A change of the version that serves. The newest promotion selects the active version.
 *
 * @param number 1, 2, …: the order of all promotions
 * @param version SHA-256 of the promoted version
 * @param at when
 * @param by its requester
 * @param grounds why it was allowed
 * @param reason explanation; the justification of an override
 */
public record Promotion(
    long number, String version, Instant at, String by, Grounds grounds, String reason) {

  /** Why a version may serve. */
  public enum Grounds {
    /** The first: what the project ships. */
    SHIPPED,
    /** It beat the one that served, on held-out rows. */
    BETTER,
    /** Forced by a user without that proof, with a reason. */
    OVERRIDE,
    /** Back to what served before. */
    ROLLBACK
  }

  /** The request; number and instant come with the record. */
  public record Request(String version, String by, Grounds grounds, String reason) {}
}
