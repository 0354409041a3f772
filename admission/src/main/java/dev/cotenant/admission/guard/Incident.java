package dev.cotenant.admission.guard;

import java.time.Instant;

/**
 * A promise that was broken for the guard's time. One for each cause, as long as both pods share
 * the GPU: what follows is done once.
 *
 * @param cause who was measured, who came last, and what was measured
 * @param gpu uuid of their GPU
 * @param at time of the finding
 * @param value the last measured value
 * @param limit the promised one
 * @param isClosed whether the GPU takes no further pods
 * @param move what becomes of the newcomer
 */
public record Incident(
    Cause cause, String gpu, Instant at, double value, double limit, boolean isClosed, Move move) {

  /**
   * The cause of an incident.
   *
   * @param victim uid of the pod that was measured
   * @param newcomer uid of the pod that came last, which may be the victim
   * @param signal what was measured
   */
  public record Cause(String victim, String newcomer, Signal signal) {}

  /** What becomes of the newcomer. */
  public enum Move {
    /** It stays: the policy, its annotation or its kind does not let it be moved. */
    STAYS,
    /** It would be evicted, and its namespace's evictions of the hour are used up. */
    OVER_BUDGET,
    /** Another incident of it evicts it. */
    ANOTHER,
    /** Its eviction is counted; it is not evicted yet. */
    PLANNED,
    /** It was evicted. */
    EVICTED,
    /** The API server refused. */
    REFUSED
  }

  /** Whether it evicts a pod, or has. */
  boolean moves(String uid) {
    return cause.newcomer().equals(uid) && (move == Move.PLANNED || move == Move.EVICTED);
  }

  Incident closed(boolean now) {
    return new Incident(cause, gpu, at, value, limit, now, move);
  }

  /** The same after an eviction was answered. */
  public Incident moved(Move outcome) {
    return new Incident(cause, gpu, at, value, limit, isClosed, outcome);
  }
}
