package dev.cotenant.admission.cluster;

import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import java.util.Map;

/**
 * The GPUs of a ResourceSlice of one node.
 *
 * @param slice name of the slice
 * @param node name of the node
 * @param uuids uuid of the GPU, of the parent for a MIG device, by device
 */
public record PublishedDevices(String slice, String node, Map<DeviceName, String> uuids) {
  public PublishedDevices {
    uuids = Map.copyOf(uuids);
  }
}
