package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * GPUs of 40 GB on nodes of which the first ones have one each and the last two; what granted pods
 * use of them shows once they have started, three quarters of what they were granted.
 */
public final class FakeGpus {
  static final MemorySize CAPACITY = MemorySize.ofGiB(39);
  static final Duration WINDOW = Duration.ofSeconds(60);

  private final Map<String, List<String>> uuidsByNode;

  /** What every node offers. */
  ResourceAmounts allocatable = ResourceAmounts.NONE;

  public FakeGpus(Map<String, List<String>> uuidsByNode) {
    this.uuidsByNode = uuidsByNode;
  }

  public List<WatchedNode> nodes() {
    return uuidsByNode.entrySet().stream()
        .map(entry ->
            new WatchedNode(
                entry.getKey(),
                Map.of(
                    WatchedNode.HOSTNAME_LABEL,
                    entry.getKey(),
                    "nvidia.com/gpu.product",
                    "NVIDIA-A100-40GB"),
                List.of(),
                true,
                entry.getValue().size(),
                allocatable))
        .toList();
  }

  public ClusterSnapshot measure(Instant now, Iterable<StoredPod> pods, Set<String> blind) {
    Map<String, Long> used = new HashMap<>();
    for (StoredPod pod : pods) {
      String memory = pod.annotations.get(CotenantAnnotations.PREDICTED_MEMORY);
      if (pod.startedAt != null && pod.isLive() && memory != null) {
        long mebibytes = Long.parseLong(memory.replace("Mi", "")) * 3 / 4;
        String gpu = pod.annotations.getOrDefault(CotenantAnnotations.ASSIGNED_GPU, "");
        used.merge(gpu.split(",", -1)[0], mebibytes, Long::sum);
      }
    }
    List<GpuSnapshot> gpus = new ArrayList<>();
    uuidsByNode.forEach((node, uuids) -> {
      for (String uuid : uuids) {
        MemorySize now0 = MemorySize.ofMiB(used.getOrDefault(uuid, 0L));
        MemoryOutlook outlook =
            blind.contains(uuid)
                ? new MemoryOutlook.Stale(Duration.ofMinutes(5), Duration.ofMinutes(2))
                : new MemoryOutlook.Measured(now0, now0, Duration.ofSeconds(5), WINDOW, List.of());
        gpus.add(
            new GpuSnapshot(
                uuid,
                node,
                DeviceCatalogue.builtIn().require("a100-40gb"),
                CAPACITY,
                new Tenancy.Shared(List.of()),
                outlook));
      }
    });
    return new ClusterSnapshot(now, gpus);
  }
}
