package dev.cotenant.placement.fleet;

import java.util.Comparator;
import java.util.List;

/**
 * What {@link PlacementVerifier} found.
 *
 * @param faults what no plan may have, in the order found
 * @param violated names of the workloads that the model predicts to miss a limit, sorted
 * @param unplaced how many workloads have no place
 * @param gpus how many GPUs are used
 * @param costPerHour of them
 */
public record Verdict(
    List<PlanFault> faults, List<String> violated, int unplaced, int gpus, double costPerHour) {
  /** Fewer workloads without a place or with a violation first, then the cheaper, then fewer. */
  public static final Comparator<Verdict> BETTER =
      Comparator.comparingInt(Verdict::missed)
          .thenComparingDouble(Verdict::costPerHour)
          .thenComparingInt(Verdict::gpus);

  public Verdict {
    faults = List.copyOf(faults);
    violated = List.copyOf(violated);
  }

  /** How many workloads are predicted to miss a limit. */
  public int violations() {
    return violated.size();
  }

  /** Workloads that are not served as they should be: violated or without a place. */
  public int missed() {
    return violated.size() + unplaced;
  }
}
