package dev.cotenant.engine.plan;

import dev.cotenant.domain.InputException;
import dev.cotenant.placement.fleet.DeviceType;
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

  /**
   * Copy with this number of GPUs of its single device.
   *
   * @throws InputException ({@code gpus-out-of-range}, {@code several-devices})
   */
  public FleetPlanRequest on(int gpus) {
    if (gpus < 1) {
      throw InputException.invalidArgument(
          "gpus-out-of-range", "The number of GPUs must be at least 1, is " + gpus + ".");
    }
    if (fleet.devices().size() != 1) {
      throw InputException.invalidArgument(
          "several-devices",
          "A number of GPUs is that of one device, and the plan names "
              + fleet.devices().size()
              + ": state max_count of each instead.");
    }
    DeviceType type = fleet.devices().getFirst();
    DeviceType counted =
        new DeviceType(type.id(), type.memory(), type.pricePerHour(), gpus, type.profile());
    return new FleetPlanRequest(fleet.on(List.of(counted)), refused, notes);
  }

  /** A workload with an unreadable entry, and the problem. */
  public record Refused(String name, String problem) {}
}
