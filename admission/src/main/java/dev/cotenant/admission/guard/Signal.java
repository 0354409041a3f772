package dev.cotenant.admission.guard;

/** What is measured of a pod and was promised to it. */
public enum Signal {
  /** Its speed alone divided by its speed now; reported by the pod, or read from its metric. */
  SLOWDOWN,
  /** Its latency in seconds; read from its metric. */
  LATENCY,
  /** Used memory of its GPU in GiB, of all its pods together; measured by the driver. */
  MEMORY
}
