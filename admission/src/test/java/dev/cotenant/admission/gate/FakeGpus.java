package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * GPUs on nodes, each with a gibibyte less than its product has; what granted pods use of them
 * shows once they have started, three quarters of what they were granted.
 */
public final class FakeGpus {
  static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  static final MemorySize CAPACITY = capacity(A100);
  static final Duration WINDOW = Duration.ofSeconds(60);

  private final List<Node> nodes;

  /** What every node offers that states nothing itself. */
  ResourceAmounts allocatable = ResourceAmounts.NONE;

  /**
   * A node with GPUs of one product.
   *
   * @param labels beside those of host name and product
   * @param allocatable empty where {@link FakeGpus#allocatable} counts
   */
  record Node(
      String name,
      Device product,
      List<String> uuids,
      Map<String, String> labels,
      ResourceAmounts allocatable) {}

  /** GPUs of 40 GB by node. */
  public FakeGpus(Map<String, List<String>> uuidsByNode) {
    this(
        uuidsByNode.entrySet().stream()
            .map(node ->
                new Node(node.getKey(), A100, node.getValue(), Map.of(), ResourceAmounts.NONE))
            .toList());
  }

  FakeGpus(List<Node> nodes) {
    this.nodes = nodes;
  }

  /** The usable memory of a GPU. */
  static MemorySize capacity(Device product) {
    return product.memory().minusOrZero(MemorySize.ofGiB(1));
  }

  public List<WatchedNode> nodes() {
    return nodes.stream().map(this::watched).toList();
  }

  private WatchedNode watched(Node node) {
    Map<String, String> labels = new TreeMap<>(node.labels);
    labels.put(WatchedNode.HOSTNAME_LABEL, node.name);
    labels.put("nvidia.com/gpu.product", node.product.productName().replace(' ', '-'));
    return new WatchedNode(
        node.name,
        labels,
        List.of(),
        true,
        node.uuids.size(),
        node.allocatable.isEmpty() ? allocatable : node.allocatable);
  }

  public ClusterSnapshot measure(Instant now, Iterable<StoredPod> pods, Set<String> blind) {
    Map<String, Long> used = new HashMap<>();
    for (StoredPod pod : pods) {
      String memory = pod.annotations.get(CotenantAnnotations.PREDICTED_MEMORY);
      if (pod.startedAt != null && pod.isLive() && memory != null) {
        long mebibytes =
            pod.usesMebibytes > 0
                ? pod.usesMebibytes
                : Long.parseLong(memory.replace("Mi", "")) * 3 / 4;
        String named = pod.annotations.getOrDefault(CotenantAnnotations.ASSIGNED_GPU, "");
        String gpu = pod.usedGpu == null ? named.split(",", -1)[0] : pod.usedGpu;
        used.merge(gpu, mebibytes, Long::sum);
      }
    }
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (Node node : nodes) {
      for (String uuid : node.uuids) {
        MemorySize usedNow = MemorySize.ofMiB(used.getOrDefault(uuid, 0L));
        MemoryObservation observation =
            blind.contains(uuid)
                ? new MemoryObservation.Stale(Duration.ofMinutes(5), Duration.ofMinutes(2))
                : new MemoryObservation.Measured(
                    usedNow, usedNow, Duration.ofSeconds(5), WINDOW, List.of());
        gpus.add(
            new GpuSnapshot(
                uuid,
                node.name,
                node.product,
                capacity(node.product),
                new Tenancy.Shared(List.of()),
                observation));
      }
    }
    return new ClusterSnapshot(now, gpus);
  }
}
