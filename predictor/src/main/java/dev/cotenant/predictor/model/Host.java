package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.DeviceId;
import java.util.Collection;

/**
 * What is known of a run's host. A driver's context and the libraries that a framework loads differ
 * between hosts by hundreds of MiB, and no graph shows them.
 */
public enum Host {
  /** One whose runs were learned from. */
  MEASURED,
  /** One of which no run was learned from. */
  NEW,
  /**
   * Not known. Near measured runs the bounds are as if they were its own, far from them they are a
   * new host's.
   */
  UNKNOWN;

  /** Of a request that names a device and no host. */
  public static Host unnamed(DeviceId device, Collection<DeviceId> measured) {
    return measured.contains(device) ? UNKNOWN : NEW;
  }
}
