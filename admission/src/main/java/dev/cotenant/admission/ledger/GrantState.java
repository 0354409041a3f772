package dev.cotenant.admission.ledger;

import java.util.Locale;

/** How far a grant has come; REST and the command line use the constant's name. */
public enum GrantState {
  /** Capacity is taken; the pod has no node yet. */
  HELD,
  /** The pod is bound to a node. */
  BOUND,
  /** The pod's memory is in the metrics, so that it counts by its use. */
  OBSERVED,
  /** The capacity is available again, or never was taken. */
  RELEASED;

  /** The value of the metrics' label {@code state}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
