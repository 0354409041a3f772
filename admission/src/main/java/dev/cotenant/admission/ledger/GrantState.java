package dev.cotenant.admission.ledger;

import java.util.Locale;

/** The state of a grant; REST and the command line use the constant's name. */
public enum GrantState {
  /** The scheduler chooses the pod's node; the capacity is expected on these GPUs. */
  NOMINATED,
  /** The capacity is taken; the pod has no node yet. */
  ALLOCATED,
  /** The pod is bound to a node. */
  BOUND,
  /** The pod's memory is in the metrics, so that its usage counts. */
  OBSERVED,
  /** The capacity is free, or was never taken. */
  RELEASED;

  /** The value of the metrics' label {@code state}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
