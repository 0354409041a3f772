package dev.cotenant.engine.plan;

import dev.cotenant.placement.fleet.Fleet;
import java.util.List;

/**
 * A document that was understood.
 *
 * @param fleet what can be planned
 * @param refused workloads that cannot
 * @param notes what the planner's figures rest on, one line each
 */
public record FleetPlanRequest(Fleet fleet, List<Refused> refused, List<String> notes) {
  public FleetPlanRequest {
    refused = List.copyOf(refused);
    notes = List.copyOf(notes);
  }

  /** A workload that could not be understood, and what is wrong with it. */
  public record Refused(String name, String problem) {}
}
