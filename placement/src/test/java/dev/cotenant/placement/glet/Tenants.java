package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Service;
import java.util.Map;
import java.util.Optional;

/** Services with times made up, on a device that adds nothing to them. */
final class Tenants {
  static final String DEVICE = "even";
  static final GpuPool TEN = pool(10);

  private static final DeviceProfile PROFILE =
      new DeviceProfile(DEVICE, 300, 1000, 0, 1e7, 0, 0, 0, 10);
  private static final WorkloadProfile WORKLOAD =
      new WorkloadProfile(
          "any",
          DEVICE,
          new WorkloadProfile.ActiveTime(0, 1, 0, 0, 0),
          0,
          new WorkloadProfile.Demand(0, 0, 0, 20),
          0,
          0,
          0,
          0);

  private Tenants() {}

  static GpuPool pool(int count) {
    return new GpuPool(MemorySize.ofGiB(16), count);
  }

  /** A service of which a batch takes that long. */
  static Tenant of(String name, double slo, double rate, Tenant.ActiveTime time) {
    return of(new Service(name, slo, rate, null, Map.of()), time);
  }

  static Tenant of(Service service, Tenant.ActiveTime time) {
    return new Tenant(service, new Tenant.Known(WORKLOAD, PROFILE, Optional.empty(), time));
  }

  /** Milliseconds for each batch and sample, whatever the share. */
  static Tenant.ActiveTime line(double batch, double sample) {
    return (b, size) -> batch + sample * b;
  }

  /** Milliseconds of a sample on the whole GPU, inversely as the share. */
  static Tenant.ActiveTime proportional(double sample) {
    return (b, size) -> sample * b * 100 / size.percent();
  }
}
