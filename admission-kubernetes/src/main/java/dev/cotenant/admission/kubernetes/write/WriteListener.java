package dev.cotenant.admission.kubernetes.write;

/** Is told what became of writes, for metrics; on whichever thread, and must not keep it. */
@FunctionalInterface
public interface WriteListener {
  /** Listens to nothing. */
  WriteListener NONE = (_, _) -> {};

  /** A write has come to its end. */
  void written(Kind kind, Outcome outcome);

  /** What was written. */
  enum Kind {
    PATCH,
    DELETE,
    CLAIM,
    EVENT
  }

  /** What became of it. */
  enum Outcome {
    DONE,
    CONFLICT,
    GONE,
    UNKNOWN,
    REFUSED,
    /** Never sent: an event for which there was no capacity, a write of a term that had ended. */
    DROPPED
  }
}
