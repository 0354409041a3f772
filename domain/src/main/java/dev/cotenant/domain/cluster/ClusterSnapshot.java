package dev.cotenant.domain.cluster;

import dev.cotenant.domain.device.DeviceId;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * All GPUs of a cluster at one instant. Their order carries no meaning: decisions break ties by
 * node and uuid.
 */
public record ClusterSnapshot(Instant takenAt, List<GpuSnapshot> gpus) {
  public ClusterSnapshot {
    gpus = List.copyOf(gpus);
    Set<String> seen = new HashSet<>();
    for (GpuSnapshot gpu : gpus) {
      if (!seen.add(gpu.uuid())) {
        throw new IllegalArgumentException("GPU " + gpu.uuid() + " appears twice");
      }
    }
  }

  /** The products in the cluster, in the order of their ids. */
  public Set<DeviceId> devices() {
    Set<DeviceId> ids = new TreeSet<>();
    gpus.forEach(gpu -> ids.add(gpu.device().id()));
    return ids;
  }
}
