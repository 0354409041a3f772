package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Service;

/**
 * A service, or an equal part of one, on one kind of device.
 *
 * @param service whose
 * @param profile its coefficients on the device
 * @param requestsPerSecond the rate of this part
 * @param batch b_appr
 * @param lowerUnits r_lower in share units
 */
record Need(
    Service service, WorkloadProfile profile, double requestsPerSecond, int batch, int lowerUnits) {
  /** The longest that t_inf may take. */
  double budgetMillis() {
    return service.sloMillis() / 2;
  }

  /** What it holds on a GPU, 0 where not known. */
  long memoryBytes() {
    var memory = service.memory();
    return memory == null ? 0 : memory.bytes();
  }

  /** The same with another batch and lower bound. */
  Need with(int otherBatch, int otherUnits) {
    return new Need(service, profile, requestsPerSecond, otherBatch, otherUnits);
  }
}
