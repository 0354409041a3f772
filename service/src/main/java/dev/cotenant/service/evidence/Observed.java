package dev.cotenant.service.evidence;

/** Counted quantities of a namespace. */
public enum Observed {
  /** Decisions that admit a pod beside others: tenants, or memory in use that no grant explains. */
  DECIDED_SHARED,
  /** Decisions that admit a pod to a GPU that nobody else is on, or to whole GPUs. */
  DECIDED_ALONE,
  /** Decisions that hold a pod. */
  DECIDED_HELD,
  /** Decisions that a pod can never fit. */
  DECIDED_DENIED,
  /** Sum of the slowdowns that were predicted for decisions beside others, in thousandths. */
  PREDICTED_SLOWDOWN_MILLI,
  /** Decisions beside others that were predicted to slow somebody by more than 5 %. */
  PREDICTED_SLOWED,
  /** Seconds that pods which would share were alone on a whole GPU, in a mode without effect. */
  WOULD_SAVE_SECONDS,
  /** The price of these seconds, in millionths. */
  WOULD_SAVE_MICROS,
  /** Measured runs whose utilization had a bound. */
  UTILIZATION_CHECKED,
  /** Those that stayed within it. */
  UTILIZATION_HELD,
  /** Measured runs whose peak memory had a bound. */
  MEMORY_CHECKED,
  /** Those that stayed within it. */
  MEMORY_HELD
}
