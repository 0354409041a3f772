package dev.cotenant.placement.fleet;

import java.util.List;
import java.util.Map;

/**
 * Services on one kind of device.
 *
 * @param type the kind
 * @param gpus in the order of opening
 * @param refused why a service has no place, by its name
 */
public record TypePlan(DeviceType type, List<PlannedGpu> gpus, Map<String, PlanReason> refused) {
  double cost() {
    return type.pricePerHour() * gpus.size();
  }
}
