package dev.cotenant.admission.guard;

/** What is measured of a pod and was promised to it. */
public enum Signal {
  /** Its speed alone divided by its speed now; reported by the pod, or read from its metric. */
  SLOWDOWN,
  /** Its latency in seconds; read from its metric. */
  LATENCY,
  /** Used memory of its GPU in GiB; measured by the driver. */
  MEMORY;

  /** Whether the pod itself states it, and could state anything. */
  boolean isStatedByThePod() {
    return this != MEMORY;
  }
}
