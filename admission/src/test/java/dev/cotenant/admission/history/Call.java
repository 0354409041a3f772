package dev.cotenant.admission.history;

/** A call about capacity with its answer. Each holder gets one whole GPU. */
public sealed interface Call {
  /** Whether the caller was answered; what had no answer may happen later or never. */
  default boolean isAnswered() {
    return !(this instanceof Unanswered);
  }

  /** A holder was granted a GPU, or one of a node, or was told so again. */
  record Granted(String holder, String gpu) implements Call {}

  /** A holder was refused: every GPU has one. */
  record Refused(String holder) implements Call {}

  /** A holder was refused by a process that may have lost its Lease, and so by what it knew. */
  record RefusedPerhapsWrongly(String holder) implements Call {}

  /** A grant was bound to a pod. */
  record Bound(String holder, String pod) implements Call {}

  /** A grant could not be bound to a pod: it ended, or was never there. */
  record NotBound(String holder) implements Call {}

  /** A grant could not be bound to a pod: another one has it. */
  record BoundToOther(String holder, String pod) implements Call {}

  /** A grant was released. */
  record Released(String holder) implements Call {}

  /** A grant was released, or had ended before. */
  record Ended(String holder) implements Call {}

  /** There was nothing to release. */
  record NothingReleased(String holder) implements Call {}

  /** The time passed after which grants without a pod end. */
  record Lapsed() implements Call {}

  /** A call about a holder whose answer was lost, or which failed. */
  record Unanswered(Wanted wanted, String holder, String pod) implements Call {}

  /** What a call without an answer wanted. */
  enum Wanted {
    GRANT,
    BIND,
    RELEASE
  }
}
