package dev.cotenant.admission.guard;

import java.time.Instant;

/**
 * A limit that was exceeded for the guard's time. One for each cause, as long as both pods share
 * the GPU: what follows is done once.
 *
 * @param cause the measured pod, the most recently granted one, and what was measured
 * @param namespace of the measured pod
 * @param gpu uuid of their GPU; empty after a restart where the incident was only reported
 * @param at time of the finding
 * @param value the last measured value
 * @param limit that of the grant
 * @param isClosed whether the GPU takes no further pods
 * @param move what becomes of the most recently granted pod
 */
public record Incident(
    Cause cause,
    String namespace,
    String gpu,
    Instant at,
    double value,
    double limit,
    boolean isClosed,
    Move move) {

  /**
   * The cause of an incident.
   *
   * @param victim uid of the measured pod
   * @param newcomer uid of the most recently granted pod, which may be the victim
   * @param signal what was measured
   */
  public record Cause(String victim, String newcomer, Signal signal) {}

  /** What becomes of the most recently granted pod. */
  public enum Move {
    /** The victim's policy only reports. */
    OBSERVED,
    /**
     * It stays: a policy, its annotation, its kind or its namespace does not let it be moved, or
     * the victim makes no step.
     */
    STAYS,
    /** It would be evicted, and its namespace's evictions of the hour are used up. */
    OVER_BUDGET,
    /** A further incident evicts the pod. */
    ANOTHER,
    /** Its eviction is counted; it is not evicted yet. */
    PLANNED,
    /** It was evicted. */
    EVICTED,
    /** The API server refused. */
    REFUSED
  }

  /** That was reported, by an earlier leader. */
  public static Incident observed(Cause cause, String namespace, Instant at) {
    return new Incident(cause, namespace, "", at, 0, 0, false, Move.OBSERVED);
  }

  /** Whether the victim's policy only reports. */
  public boolean isObserved() {
    return move == Move.OBSERVED;
  }

  /** Whether it evicts a pod, or has. */
  boolean moves(String uid) {
    return cause.newcomer().equals(uid) && (move == Move.PLANNED || move == Move.EVICTED);
  }

  Incident closed(boolean now) {
    return now == isClosed
        ? this
        : new Incident(cause, namespace, gpu, at, value, limit, now, move);
  }

  /** The same with another outcome for the most recently granted pod. */
  public Incident moved(Move outcome) {
    return outcome == move
        ? this
        : new Incident(cause, namespace, gpu, at, value, limit, isClosed, outcome);
  }
}
