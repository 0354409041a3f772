package dev.cotenant.admission.guard;

/** What is measured of a pod and limited by its grant. */
public enum Signal {
  /** Its speed alone divided by its speed now; reported by the pod, or read from its metric. */
  SLOWDOWN,
  /** Its latency in seconds; read from its metric. */
  LATENCY,
  /** Used memory of its GPU in GiB, of all its pods together; measured by the driver. */
  MEMORY,
  /**
   * Requests per second that it serves, beside those that its grant counts: stated, or measured
   * where none are. Read from its metric. Its share and what its neighbours were told rest on them.
   */
  RATE;

  /** Whether neighbours may be the cause, so that one moves; a pod's rate is its own. */
  boolean blamesNeighbours() {
    return this != RATE;
  }
}
