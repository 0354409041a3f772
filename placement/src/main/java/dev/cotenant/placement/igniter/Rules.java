package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Service;
import java.util.Comparator;
import java.util.List;

/** What strategies do in their own way on one kind of device; unless they say, iGniter's. */
@FunctionalInterface
interface Rules {
  /** The share and batch that a service needs on a device. */
  default Sizing size(DeviceType type, Service service) {
    return Sizing.of(type, service);
  }

  /** The step of shares. */
  default Share unit(DeviceProfile device) {
    return Share.nearestToPercent(device.shareUnitPercent());
  }

  /** Who comes first; equals stay in the order in which they were given. */
  default Comparator<Need> order() {
    return Comparator.comparingInt(need -> -need.lowerUnits());
  }

  /**
   * How places are found.
   *
   * @param needs all needs in placement order, grouped by service
   */
  Placer placer(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs);

  /** Adjustments after the placement of all workloads. */
  default void finish(DeviceProfile device, OpenGpus gpus) {}
}
