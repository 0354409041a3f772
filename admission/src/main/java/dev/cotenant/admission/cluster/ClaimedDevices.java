package dev.cotenant.admission.cluster;

import java.util.List;
import java.util.Set;

/**
 * The devices that an allocated ResourceClaim holds.
 *
 * @param key namespace and name of the claim, {@code team-a/train}
 * @param devices its devices, those of administrative access left out
 * @param parts devices of which the claim requests a part of the capacity
 */
public record ClaimedDevices(String key, List<DeviceName> devices, Set<DeviceName> parts) {
  public ClaimedDevices {
    devices = List.copyOf(devices);
    parts = Set.copyOf(parts);
  }

  /** A device of dynamic resource allocation. */
  public record DeviceName(String driver, String pool, String device) {}
}
