package dev.cotenant.admission.cluster;

import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Map;
import java.util.Set;

/**
 * The GPUs of a ResourceSlice of one node.
 *
 * @param slice name of the slice
 * @param node name of the node
 * @param uuids uuid of the GPU, of the parent for a MIG device, by device
 * @param divisible GPUs among them whose memory several claims may share
 * @param profiles of its MIG devices, each once
 */
public record PublishedDevices(
    String slice,
    String node,
    Map<DeviceName, String> uuids,
    Set<String> divisible,
    Set<MigProfile> profiles) {
  /**
   * A profile of MIG devices.
   *
   * @param product maker's name of the GPU, {@code NVIDIA A100-SXM4-80GB}
   * @param profile its name, {@code 2g.20gb}
   * @param computeSlices 1 to 7
   * @param memory of the instance
   */
  public record MigProfile(String product, String profile, int computeSlices, MemorySize memory) {}

  public PublishedDevices {
    uuids = Map.copyOf(uuids);
    divisible = Set.copyOf(divisible);
    profiles = Set.copyOf(profiles);
  }
}
