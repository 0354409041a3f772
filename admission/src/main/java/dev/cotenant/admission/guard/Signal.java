package dev.cotenant.admission.guard;

/** Measured quantities with a limit in the grant. */
public enum Signal {
  /** Its speed alone divided by its speed now; reported by the pod, or read from its metric. */
  SLOWDOWN,
  /** Its latency in seconds; read from its metric. */
  LATENCY,
  /** Used memory of its GPU in GiB, of all its pods together; measured by the driver. */
  MEMORY,
  /**
   * Requests per second that it serves, beside those that its grant counts: stated, or measured
   * where none are. Read from its metric. Its share and its neighbours' interference predictions
   * depend on them.
   */
  RATE;

  /**
   * Whether neighbours may be the cause, so that a pod is moved; a request rate is the pod's own.
   */
  boolean blamesNeighbours() {
    return this != RATE;
  }
}
