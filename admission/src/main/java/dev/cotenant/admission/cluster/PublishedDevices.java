package dev.cotenant.admission.cluster;

import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import java.util.Map;
import java.util.Set;

/**
 * The GPUs of a ResourceSlice of one node.
 *
 * @param slice name of the slice
 * @param node name of the node
 * @param uuids uuid of the GPU, of the parent for a MIG device, by device
 * @param divisible of these, GPUs of which several claims may have a part of the memory
 */
public record PublishedDevices(
    String slice, String node, Map<DeviceName, String> uuids, Set<String> divisible) {
  public PublishedDevices {
    uuids = Map.copyOf(uuids);
    divisible = Set.copyOf(divisible);
  }

  /** Each of which one claim has whole. */
  public PublishedDevices(String slice, String node, Map<DeviceName, String> uuids) {
    this(slice, node, uuids, Set.of());
  }
}
