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

  /** A device without measured runs has no measured host. */
  public Host among(Collection<DeviceId> measured, DeviceId device) {
    return this == UNKNOWN && !measured.contains(device) ? NEW : this;
  }
}
