package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.device.UnlistedProduct;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All GPUs, without tenants: the measured ones of the nodes in the API server, and for every GPU
 * that a node offers beyond them one without measurements.
 *
 * <p>Once measured or granted, a GPU stays known by its uuid while its node offers as many; the
 * others are called {@code node/gpu-0} and so on. The product of an unmeasured GPU is that of its
 * node's label, where the catalogue lacks it with the memory of the node's label. Without these
 * labels the GPU is absent and counted.
 */
public final class Inventory {
  private static final String PRODUCT_LABEL = "nvidia.com/gpu.product";
  private static final String MEMORY_LABEL = "nvidia.com/gpu.memory";

  /** MiB of one GPU. */
  private static final Pattern MEBIBYTES = Pattern.compile("[1-9][0-9]{0,7}");

  private final Function<String, Optional<Device>> products;
  private final Map<String, WatchedNode> nodes = new TreeMap<>();
  private final Map<String, Map<String, GpuSnapshot>> known = new HashMap<>();
  private final Map<String, Set<String>> named = new HashMap<>();
  private final Map<String, List<GpuSnapshot>> byNode = new HashMap<>();
  private Map<String, List<GpuSnapshot>> measured = Map.of();
  private Instant measuredAt = Instant.EPOCH;
  private @Nullable ClusterSnapshot base;
  private long generation;
  private int unrepresented;

  public Inventory(Function<String, Optional<Device>> products) {
    this.products = products;
  }

  /** Whether a uuid is not the driver's, because the GPU has not been measured yet. */
  static boolean isPlaceholder(String uuid) {
    return uuid.contains("/");
  }

  /** Grows with whatever changes about nodes. */
  long generation() {
    return generation;
  }

  /** GPUs of a product without name or memory. */
  public int unrepresented() {
    return unrepresented;
  }

  public void refresh(ClusterSnapshot readings) {
    Map<String, List<GpuSnapshot>> byNodeNow = new HashMap<>();
    for (GpuSnapshot gpu : readings.gpus()) {
      byNodeNow.computeIfAbsent(gpu.node(), _ -> new ArrayList<>()).add(gpu);
    }
    measured = byNodeNow;
    measuredAt = readings.takenAt();
    base = null;
  }

  /** Adds or replaces a node; returns whether it changed. */
  public boolean put(WatchedNode node) {
    WatchedNode before = nodes.put(node.name(), node);
    if (node.equals(before)) {
      return false;
    }
    generation++;
    boolean sameGpus =
        before != null && before.gpus() == node.gpus() && isOfSameProduct(before, node);
    if (!sameGpus) {
      base = null;
    }
    return true;
  }

  public void remove(String name) {
    if (nodes.remove(name) != null) {
      generation++;
      base = null;
    }
    known.remove(name);
  }

  /** Adds the uuid of a granted GPU, so that the inventory knows it. */
  void name(String node, String uuid) {
    boolean isNew = named.computeIfAbsent(node, _ -> new LinkedHashSet<>()).add(uuid);
    if (isNew && base != null && base.find(uuid).isEmpty()) {
      base = null;
    }
  }

  /** No pod has this GPU any more. */
  void unname(String node, String uuid) {
    Set<String> names = named.get(node);
    if (names != null && names.remove(uuid) && names.isEmpty()) {
      named.remove(node);
    }
  }

  /** All nodes. */
  public Collection<WatchedNode> nodes() {
    return Collections.unmodifiableCollection(nodes.values());
  }

  public Optional<WatchedNode> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** The GPUs of a node, without tenants. */
  public List<GpuSnapshot> gpus(String node) {
    base();
    return byNode.getOrDefault(node, List.of());
  }

  /** All GPUs; the same object until a change. */
  public ClusterSnapshot base() {
    ClusterSnapshot made = base;
    if (made == null) {
      made = make();
      base = made;
    }
    return made;
  }

  private ClusterSnapshot make() {
    unrepresented = 0;
    byNode.clear();
    Set<String> uuids = new TreeSet<>();
    List<GpuSnapshot> all = new ArrayList<>();
    for (WatchedNode node : nodes.values()) {
      List<GpuSnapshot> gpus = gpusOf(node).stream().filter(g -> uuids.add(g.uuid())).toList();
      byNode.put(node.name(), gpus);
      all.addAll(gpus);
    }
    return new ClusterSnapshot(measuredAt, all);
  }

  private Collection<GpuSnapshot> gpusOf(WatchedNode node) {
    Map<String, GpuSnapshot> gpus = new LinkedHashMap<>();
    measured.getOrDefault(node.name(), List.of()).forEach(gpu -> gpus.put(gpu.uuid(), gpu));
    int offered = Math.max(node.gpus(), gpus.size());
    if (offered == 0) {
      return List.of();
    }
    Map<String, GpuSnapshot> before = known.getOrDefault(node.name(), Map.of());
    Set<String> missing = new LinkedHashSet<>(named.getOrDefault(node.name(), Set.of()));
    missing.addAll(before.keySet());
    for (int i = 0; gpus.size() + missing.size() < offered + gpus.size(); i++) {
      missing.add(node.name() + "/gpu-" + i);
    }
    @Nullable GpuProduct product = product(node, gpus.values(), before.values());
    for (String uuid : missing) {
      if (gpus.size() < offered && !gpus.containsKey(uuid)) {
        unmeasured(uuid, node, before.get(uuid), product).ifPresent(gpu -> gpus.put(uuid, gpu));
      }
    }
    unrepresented += offered - gpus.size();
    Map<String, GpuSnapshot> named = new LinkedHashMap<>(gpus);
    named.keySet().removeIf(Inventory::isPlaceholder);
    known.put(node.name(), named);
    return gpus.values();
  }

  private Optional<GpuSnapshot> unmeasured(
      String uuid, WatchedNode node, @Nullable GpuSnapshot before, @Nullable GpuProduct product) {
    MemoryObservation nothing = new MemoryObservation.Unmeasured();
    if (before != null) {
      return Optional.of(
          new GpuSnapshot(
              uuid,
              node.name(),
              present(before),
              before.capacity(),
              before.tenancy(),
              nothing,
              null,
              before.index()));
    }
    return product == null
        ? Optional.empty()
        : Optional.of(
            new GpuSnapshot(
                uuid,
                node.name(),
                product,
                product.memory(),
                new Tenancy.Shared(List.of()),
                nothing));
  }

  /** Its product, which the catalogue may list since it was measured. */
  private GpuProduct present(GpuSnapshot before) {
    return before.device() instanceof UnlistedProduct unlisted
        ? products
            .apply(unlisted.productName())
            .filter(device -> before.capacity().isAtMost(device.memory()))
            .<GpuProduct>map(device -> device)
            .orElse(unlisted)
        : before.device();
  }

  private @Nullable GpuProduct product(
      WatchedNode node, Collection<GpuSnapshot> gpus, Collection<GpuSnapshot> before) {
    String label = product(node);
    @Nullable Device listed = products.apply(label).orElse(null);
    if (listed != null) {
      return listed;
    }
    Set<GpuProduct> others = new LinkedHashSet<>();
    gpus.forEach(gpu -> others.add(gpu.device()));
    before.forEach(gpu -> others.add(gpu.device()));
    if (others.size() == 1) {
      return others.iterator().next();
    }
    String memory = memory(node);
    return !label.isBlank() && MEBIBYTES.matcher(memory).matches()
        ? new UnlistedProduct(label, MemorySize.ofMiB(Long.parseLong(memory)))
        : null;
  }

  private static boolean isOfSameProduct(WatchedNode one, WatchedNode other) {
    return product(one).equals(product(other)) && memory(one).equals(memory(other));
  }

  private static String memory(WatchedNode node) {
    return node.labels().getOrDefault(MEMORY_LABEL, "");
  }

  private static String product(WatchedNode node) {
    return node.labels().getOrDefault(PRODUCT_LABEL, "");
  }
}
