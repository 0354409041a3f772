package dev.cotenant.service.configuration;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;

/** Checks that policies make exceptions for products that exist. */
public final class PolicyDevices {
  private PolicyDevices() {}

  /**
   * Requires every product that a policy names by its id, for limits that hold nowhere would go
   * unnoticed.
   *
   * @throws dev.cotenant.domain.InputException ({@code bad-configuration}) naming the key
   */
  public static void require(Policies policies, DeviceCatalogue devices) {
    for (Policy policy : policies.byName().values()) {
      for (DeviceId id : policy.limits().exceptions().keySet()) {
        boolean isId = devices.find(id.value()).map(Device::id).filter(id::equals).isPresent();
        if (!isId) {
          throw Range.bad(
              key(policy) + "." + id, "must be of a known device: cotenant devices lists the ids");
        }
      }
    }
  }

  private static String key(Policy policy) {
    return policy.name().equals(Policy.STANDARD)
        ? "policy.devices"
        : "policies." + policy.name() + ".devices";
  }
}
