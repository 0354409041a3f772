package dev.cotenant.service.evidence;

/** What is counted in a namespace. */
public enum Observed {
  /** Decisions that admit a pod beside others. */
  DECIDED_SHARED,
  /** Decisions that admit a pod to a GPU that nobody else is on, or to whole GPUs. */
  DECIDED_ALONE,
  /** Decisions that hold a pod. */
  DECIDED_HELD,
  /** Decisions that a pod can never fit. */
  DECIDED_DENIED,
  /** Measured runs whose utilization had a bound. */
  UTILIZATION_CHECKED,
  /** Those that stayed within it. */
  UTILIZATION_HELD,
  /** Measured runs whose peak memory had a bound. */
  MEMORY_CHECKED,
  /** Those that stayed within it. */
  MEMORY_HELD
}
