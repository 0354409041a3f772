package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.SnapshotView;
import dev.cotenant.domain.device.DeviceId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs of a snapshot, indexed for decisions: by product and how busy they are, and by node.
 * Made once for a snapshot, of that of the snapshot before where it has the same GPUs, stored with
 * it, and brought up to date in one pass over pointers when single GPUs change.
 */
final class ClusterIndex implements SnapshotView {
  private static final Comparator<GpuSnapshot> BY_NODE_AND_UUID =
      Comparator.comparing(GpuSnapshot::node).thenComparing(GpuSnapshot::uuid);

  private final Instant now;
  private final IndexedGpu[] byPosition;
  private final int[] byName;
  private final Map<DeviceId, UtilizationBucket> buckets;
  private volatile NodeGpus @Nullable [] nodes;
  private volatile @Nullable ExplorationCounts trials;

  /** The indexed snapshot where it is a part of one, over whose tenants trials count. */
  private @Nullable ClusterSnapshot part;

  private ClusterIndex(
      Instant now,
      IndexedGpu[] byPosition,
      int[] byName,
      Map<DeviceId, UtilizationBucket> buckets,
      NodeGpus @Nullable [] nodes) {
    this.now = now;
    this.byPosition = byPosition;
    this.byName = byName;
    this.buckets = buckets;
    this.nodes = nodes;
  }

  /**
   * The snapshot's own.
   *
   * @param before index of another snapshot; with the same GPUs, its order is nearly right
   */
  static ClusterIndex of(ClusterSnapshot snapshot, @Nullable ClusterIndex before) {
    return snapshot.view(
        ClusterIndex.class,
        made -> {
          ClusterIndex index =
              before != null && before.hasGpusOf(made) ? before.at(made) : make(made);
          index.part = made.isPart() ? made : null;
          return index;
        });
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
    for (int rank = 0; rank < byName.length; rank++) {
      GpuSnapshot gpu = gpus.get(byName[rank]);
      IndexedGpu made = IndexedGpu.of(gpu, rank, snapshot.takenAt(), null);
      indexed[byName[rank]] = made;
      byDevice.computeIfAbsent(gpu.device().id(), _ -> new ArrayList<>()).add(made);
    }
    Map<DeviceId, UtilizationBucket> buckets = new HashMap<>();
    byDevice.forEach((device, all) -> buckets.put(device, UtilizationBucket.of(device, all)));
    return new ClusterIndex(snapshot.takenAt(), indexed, byName, buckets, null);
  }

  /** Whether a snapshot has the indexed GPUs: equal products, nodes and order. */
  private boolean hasGpusOf(ClusterSnapshot snapshot) {
    if (snapshot.gpus().size() != byPosition.length) {
      return false;
    }
    int position = 0;
    for (GpuSnapshot gpu : snapshot.gpus()) {
      GpuSnapshot known = byPosition[position++].gpu();
      if (!known.uuid().equals(gpu.uuid())
          || !known.node().equals(gpu.node())
          || !known.device().id().equals(gpu.device().id())) {
        return false;
      }
    }
    return true;
  }

  /** Index of a later snapshot of the same GPUs. */
  private ClusterIndex at(ClusterSnapshot snapshot) {
    IndexedGpu[] positions = new IndexedGpu[byPosition.length];
    for (int position = 0; position < positions.length; position++) {
      IndexedGpu before = byPosition[position];
      GpuSnapshot gpu = snapshot.gpus().get(position);
      positions[position] = IndexedGpu.of(gpu, before.rank(), snapshot.takenAt(), before);
    }
    Map<DeviceId, UtilizationBucket> changed = new HashMap<>();
    buckets.forEach((device, bucket) -> {
      List<IndexedGpu> inOrder = new ArrayList<>(bucket.size());
      for (IndexedGpu gpu : bucket.gpus()) {
        inOrder.add(positions[byName[gpu.rank()]]);
      }
      changed.put(device, UtilizationBucket.of(device, inOrder));
    });
    return new ClusterIndex(snapshot.takenAt(), positions, byName, changed, null);
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

  /** GPUs of a product; empty without any. */
  Optional<UtilizationBucket> bucket(DeviceId device) {
    return Optional.ofNullable(buckets.get(device));
  }

  /** The GPUs of each product. */
  Collection<UtilizationBucket> buckets() {
    return buckets.values();
  }

  /** The trials of each namespace. */
  ExplorationCounts trials() {
    ExplorationCounts known = trials;
    if (known == null) {
      ClusterSnapshot some = part;
      known = some == null ? ExplorationCounts.of(byName()) : of(some.whole(), null).trials();
      trials = known;
    }
    return known;
  }

  /** All nodes by name. */
  List<NodeGpus> nodes() {
    NodeGpus[] known = nodes;
    if (known == null) {
      known = madeNodes();
      nodes = known;
    }
    return Arrays.asList(known);
  }

  private NodeGpus[] madeNodes() {
    Map<String, List<GpuSnapshot>> byNode = new LinkedHashMap<>();
    for (GpuSnapshot gpu : byName()) {
      byNode.computeIfAbsent(gpu.node(), _ -> new ArrayList<>()).add(gpu);
    }
    return byNode.entrySet().stream()
        .map(node -> NodeGpus.of(node.getKey(), node.getValue()))
        .toArray(NodeGpus[]::new);
  }

  @Override
  public ClusterIndex with(List<Change> changes) {
    IndexedGpu[] positions = byPosition.clone();
    NodeGpus[] known = nodes;
    NodeGpus[] changedNodes = known == null ? null : known.clone();
    ExplorationCounts counts = trials;
    Map<DeviceId, Replaced> replaced = new HashMap<>();
    for (Change change : changes) {
      GpuSnapshot gpu = change.gpu();
      IndexedGpu before = positions[change.position()];
      IndexedGpu after = IndexedGpu.of(gpu, before.rank(), now, before);
      positions[change.position()] = after;
      counts = counts == null || part != null ? counts : counts.with(before.gpu(), gpu);
      replaced.computeIfAbsent(gpu.device().id(), _ -> new Replaced()).add(before, after);
      if (changedNodes != null) {
        int node = node(changedNodes, gpu.node());
        changedNodes[node] = changedNodes[node].with(gpu);
      }
    }
    Map<DeviceId, UtilizationBucket> changedBuckets = new HashMap<>(buckets);
    replaced.forEach((device, pairs) ->
        changedBuckets.computeIfPresent(
            device, (_, bucket) -> bucket.with(pairs.before, pairs.after)));
    ClusterIndex changed = new ClusterIndex(now, positions, byName, changedBuckets, changedNodes);
    changed.trials = counts;
    changed.part = part;
    return changed;
  }

  private static int node(NodeGpus[] nodes, String name) {
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
