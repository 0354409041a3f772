package dev.cotenant.admission.kubernetes.write;

/** Receives the outcomes of writes, for metrics; on any thread, without blocking. */
@FunctionalInterface
public interface WriteListener {
  WriteListener NONE = (_, _) -> {};

  /** A write has ended. */
  void written(Kind kind, Outcome outcome);

  /** The object of a write. */
  enum Kind {
    PATCH,
    BIND,
    DELETE,
    EVICT,
    CLAIM,
    EVENT
  }

  /** The outcome of a write. */
  enum Outcome {
    DONE,
    CONFLICT,
    GONE,
    UNKNOWN,
    REFUSED,
    /** Never sent: an Event beyond the queue, or a write of an ended term. */
    DROPPED
  }
}
