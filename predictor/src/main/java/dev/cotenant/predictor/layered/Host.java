package dev.cotenant.predictor.layered;

import dev.cotenant.domain.device.DeviceId;
import java.util.Collection;

/**
 * Who asks. A driver's context and the libraries that a framework loads differ between hosts by
 * hundreds of MiB, and no graph tells them.
 */
public enum Host {
  /** One whose runs were learned from. */
  MEASURED,
  /** One of which no run was learned from. */
  NEW,
  /**
   * Nobody says. Near measured runs the bounds are as if they were its own, far from them they are
   * a new host's.
   */
  UNKNOWN;

  /** Of whoever names a device and no host. */
  public static Host unnamed(DeviceId device, Collection<DeviceId> measured) {
    return measured.contains(device) ? UNKNOWN : NEW;
  }
}
