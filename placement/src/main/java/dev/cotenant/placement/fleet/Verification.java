package dev.cotenant.placement.fleet;

import java.util.List;

/**
 * What {@link PlacementVerifier} found.
 *
 * @param faults what no plan may have, in the order found
 * @param violated names of the workloads that the model predicts to miss a limit, sorted
 * @param unplaced how many workloads have no place
 */
public record Verification(List<PlanFault> faults, List<String> violated, int unplaced) {
  public Verification {
    faults = List.copyOf(faults);
    violated = List.copyOf(violated);
  }

  /** How many workloads are predicted to miss a limit. */
  public int violations() {
    return violated.size();
  }

  /** Workloads that are violated or unplaced. */
  public int missed() {
    return violated.size() + unplaced;
  }
}
