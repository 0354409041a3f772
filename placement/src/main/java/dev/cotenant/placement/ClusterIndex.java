package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.SnapshotView;
import dev.cotenant.domain.device.DeviceId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The GPUs of a snapshot, indexed for decisions: by product and how busy they are, and by node.
 * Made once for a snapshot, stored with it, and brought up to date in one pass over pointers when
 * single GPUs change.
 */
final class ClusterIndex implements SnapshotView {
  private static final Comparator<GpuSnapshot> BY_NODE_AND_UUID =
      Comparator.comparing(GpuSnapshot::node).thenComparing(GpuSnapshot::uuid);

  private final Instant now;
  private final IndexedGpu[] byPosition;
  private final int[] byName;
  private final Map<DeviceId, UtilizationBucket> buckets;
  private final NodeGpus[] nodes;

  private ClusterIndex(
      Instant now,
      IndexedGpu[] byPosition,
      int[] byName,
      Map<DeviceId, UtilizationBucket> buckets,
      NodeGpus[] nodes) {
    this.now = now;
    this.byPosition = byPosition;
    this.byName = byName;
    this.buckets = buckets;
    this.nodes = nodes;
  }

  /** The snapshot's own. */
  static ClusterIndex of(ClusterSnapshot snapshot) {
    return snapshot.view(ClusterIndex.class, ClusterIndex::make);
  }

  private static ClusterIndex make(ClusterSnapshot snapshot) {
    List<GpuSnapshot> gpus = snapshot.gpus();
    int[] byName = // in one pass where they come in this order, as those that are polled do
        IntStream.range(0, gpus.size())
            .boxed()
            .sorted(Comparator.comparing(gpus::get, BY_NODE_AND_UUID))
            .mapToInt(Integer::intValue)
            .toArray();
    IndexedGpu[] indexed = new IndexedGpu[byName.length];
    Map<DeviceId, List<IndexedGpu>> byDevice = new HashMap<>();
    List<NodeGpus> nodes = new ArrayList<>();
    int begin = 0;
    for (int rank = 0; rank < byName.length; rank++) {
      GpuSnapshot gpu = gpus.get(byName[rank]);
      IndexedGpu made = IndexedGpu.of(gpu, rank, snapshot.takenAt());
      indexed[byName[rank]] = made;
      byDevice.computeIfAbsent(gpu.device().id(), _ -> new ArrayList<>()).add(made);
      boolean last =
          rank + 1 == byName.length || !gpu.node().equals(gpus.get(byName[rank + 1]).node());
      if (last) {
        nodes.add(node(gpus, Arrays.copyOfRange(byName, begin, rank + 1)));
        begin = rank + 1;
      }
    }
    Map<DeviceId, UtilizationBucket> buckets = new HashMap<>();
    byDevice.forEach((device, all) -> buckets.put(device, UtilizationBucket.of(device, all)));
    return new ClusterIndex(
        snapshot.takenAt(), indexed, byName, buckets, nodes.toArray(NodeGpus[]::new));
  }

  private static NodeGpus node(List<GpuSnapshot> gpus, int[] positions) {
    List<GpuSnapshot> ofNode = new ArrayList<>(positions.length);
    for (int position : positions) {
      ofNode.add(gpus.get(position));
    }
    return NodeGpus.of(ofNode.getFirst().node(), ofNode);
  }

  Instant now() {
    return now;
  }

  int size() {
    return byName.length;
  }

  /** All GPUs by node and uuid. */
  Iterable<GpuSnapshot> byName() {
    return () -> IntStream.of(byName).mapToObj(position -> byPosition[position].gpu()).iterator();
  }

  /** The GPUs of a product, if there are any. */
  Optional<UtilizationBucket> bucket(DeviceId device) {
    return Optional.ofNullable(buckets.get(device));
  }

  /** All nodes by name. */
  List<NodeGpus> nodes() {
    return Arrays.asList(nodes);
  }

  @Override
  public ClusterIndex with(List<Change> changes) {
    IndexedGpu[] positions = byPosition.clone();
    NodeGpus[] changedNodes = nodes.clone();
    Map<DeviceId, Replaced> replaced = new HashMap<>();
    for (Change change : changes) {
      GpuSnapshot gpu = change.gpu();
      IndexedGpu before = positions[change.position()];
      IndexedGpu after = IndexedGpu.of(gpu, before.rank(), now);
      positions[change.position()] = after;
      replaced.computeIfAbsent(gpu.device().id(), _ -> new Replaced()).add(before, after);
      int node = node(gpu.node());
      changedNodes[node] = changedNodes[node].with(gpu);
    }
    Map<DeviceId, UtilizationBucket> changedBuckets = new HashMap<>(buckets);
    replaced.forEach((device, pairs) ->
        changedBuckets.computeIfPresent(
            device, (_, bucket) -> bucket.with(pairs.before, pairs.after)));
    return new ClusterIndex(now, positions, byName, changedBuckets, changedNodes);
  }

  private int node(String name) {
    return Arrays.binarySearch(
        nodes, new NodeGpus(name, List.of(), List.of()), Comparator.comparing(NodeGpus::name));
  }

  private static final class Replaced {
    private final List<IndexedGpu> before = new ArrayList<>();
    private final List<IndexedGpu> after = new ArrayList<>();

    void add(IndexedGpu was, IndexedGpu is) {
      before.add(was);
      after.add(is);
    }
  }
}
