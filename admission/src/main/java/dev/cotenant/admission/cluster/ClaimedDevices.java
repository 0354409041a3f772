package dev.cotenant.admission.cluster;

import java.util.List;

/**
 * The devices that an allocated ResourceClaim holds.
 *
 * @param key namespace and name of the claim, {@code team-a/train}
 * @param devices its devices, those of administrative access left out
 */
public record ClaimedDevices(String key, List<DeviceName> devices) {
  public ClaimedDevices {
    devices = List.copyOf(devices);
  }

  /** A device of dynamic resource allocation. */
  public record DeviceName(String driver, String pool, String device) {}
}
