package dev.cotenant.engine.serving;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.Optional;

/** Port: the profiles that count in a namespace. Safe for use by several threads. */
public interface ProfileSource {
  /** Whether no workload is profiled, which is quickly said. */
  boolean isEmpty();

  /** Profile of a service on a device; never a built-in one. */
  Optional<WorkloadProfile> workload(String namespace, String name, DeviceId device);

  /** A device's coefficients as they count in a namespace. */
  Optional<DeviceProfile> device(String namespace, DeviceId device);
}
