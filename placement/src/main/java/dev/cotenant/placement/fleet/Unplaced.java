package dev.cotenant.placement.fleet;

import java.util.List;

/**
 * A workload that the plan has no place for.
 *
 * @param name whose
 * @param reasons one per kind of device, at least one
 */
public record Unplaced(String name, List<PlanReason> reasons) {
  public Unplaced {
    reasons = List.copyOf(reasons);
  }
}
