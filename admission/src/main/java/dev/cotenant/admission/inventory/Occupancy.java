package dev.cotenant.admission.inventory;

import dev.cotenant.admission.assignment.NodeUse;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.admission.ledger.Overlay;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Occupants of GPUs: those with known GPUs, and those with a known number of GPUs only.
 *
 * <p>Which GPU the kubelet gave to a pod is not visible. As many GPUs of its node as the pod has
 * count as whole GPUs of its own, among those without another occupant: the ones used most, as a
 * running pod shows there. The number is exact, and GPU assignment by node needs no more; GPU
 * assignment by uuid excludes such nodes [{@link dev.cotenant.admission.assignment.GpuAssignment}].
 * Where a node has fewer GPUs without another occupant than that, its pods share GPUs with granted
 * ones, it is not visible which, and none of its GPUs takes another pod.
 */
public final class Occupancy {
  private static final Comparator<GpuSnapshot> MAX_USED_FIRST =
      Comparator.comparingLong(Occupancy::usedBytes).reversed().thenComparing(GpuSnapshot::uuid);

  private static final String MARKS = "counted on ";

  private final Inventory inventory;
  private final @Nullable Occupancy bound;
  private final Overlay overlay = new Overlay();
  private final Map<String, String> nodeOfNamed = new HashMap<>();
  private final Map<String, Set<String>> namedOnNode = new HashMap<>();
  private final Map<String, Counted> counted = new HashMap<>();
  private final Map<String, Map<String, Counted>> countedOnNode = new HashMap<>();
  private final Set<String> dirty = new HashSet<>();
  private @Nullable ClusterSnapshot base;
  private final Set<String> freedNodes = new HashSet<>();
  private boolean freedAnywhere;
  private long freed;
  private long uses;

  private record Counted(String node, String holder, int gpus) {}

  public Occupancy(Inventory inventory) {
    this(inventory, null);
  }

  private Occupancy(Inventory inventory, @Nullable Occupancy bound) {
    this.inventory = inventory;
    this.bound = bound;
  }

  /** Occupancy with nominations; the view without them is kept too. */
  public static Occupancy withNominations(Inventory inventory) {
    return new Occupancy(inventory, new Occupancy(inventory));
  }

  /** The occupancy without nominations. */
  public Occupancy bound() {
    return bound == null ? this : bound;
  }

  /** Grows whenever capacity may have become free. */
  public long freed() {
    return freed;
  }

  /** Grows with every change of a node's use. */
  long uses() {
    return uses;
  }

  /** Adds an occupant of these GPUs of a node. */
  public void put(Occupant occupant, String node) {
    if (bound != null) {
      bound.put(occupant, node);
    }
    nominate(occupant, node);
  }

  /** Adds an occupant that is not bound yet. */
  void nominate(Occupant occupant, String node) {
    clear(occupant.key());
    overlay.put(occupant);
    nodeOfNamed.put(occupant.key(), node);
    if (namedOnNode.computeIfAbsent(node, _ -> new HashSet<>()).add(occupant.key())) {
      uses++;
    }
    dirty.add(node);
  }

  /** Adds an occupant of a number of unknown GPUs of a node. */
  public void put(String key, String node, String holder, int gpus) {
    if (bound != null) {
      bound.put(key, node, holder, gpus);
    }
    nominate(key, node, holder, gpus);
  }

  /** Adds an occupant of so many GPUs that is not bound yet. */
  void nominate(String key, String node, String holder, int gpus) {
    clear(key);
    Counted made = new Counted(node, holder, gpus);
    counted.put(key, made);
    countedOnNode.computeIfAbsent(node, _ -> new TreeMap<>()).put(key, made);
    uses++;
    dirty.add(node);
  }

  /** Removes an occupant. */
  public void remove(String key) {
    if (bound != null) {
      bound.remove(key);
    }
    clear(key);
  }

  private void clear(String key) {
    String node = nodeOfNamed.remove(key);
    if (node != null) {
      overlay.remove(key);
      forget(namedOnNode, node, key);
    }
    Counted before = counted.remove(key);
    if (before != null) {
      Map<String, Counted> there = countedOnNode.getOrDefault(before.node(), new TreeMap<>());
      there.remove(key);
      if (there.isEmpty()) {
        countedOnNode.remove(before.node());
      }
      freed(before.node());
    }
  }

  private void forget(Map<String, Set<String>> byNode, String node, String key) {
    Set<String> there = byNode.getOrDefault(node, new HashSet<>());
    there.remove(key);
    if (there.isEmpty()) {
      byNode.remove(node);
    }
    freed(node);
  }

  private void freed(String node) {
    freed++;
    freedNodes.add(node);
    uses++;
    dirty.add(node);
  }

  /** Closes these GPUs to others, and no others. */
  public void close(Map<String, Instant> gpus) {
    if (bound != null) {
      bound.close(gpus);
    }
    if (overlay.close(gpus)) {
      freedElsewhere();
    }
  }

  /** Resources other than GPUs may have become free on a node. */
  public void freedBesideGpus(String node) {
    if (!inventory.gpus(node).isEmpty()) {
      freed++;
      freedNodes.add(node);
    }
  }

  /** Capacity may have become free for reasons of others. */
  public void freedElsewhere() {
    if (bound != null) {
      bound.freedElsewhere();
    }
    freed++;
    freedAnywhere = true;
  }

  /**
   * Nodes on which capacity may have become free since the last call; empty where it may be
   * anywhere.
   */
  public Optional<Set<String>> takeFreed() {
    snapshot();
    Optional<Set<String>> nodes =
        freedAnywhere ? Optional.empty() : Optional.of(Set.copyOf(freedNodes));
    freedNodes.clear();
    freedAnywhere = false;
    return nodes;
  }

  /** Whether something with this key occupies GPUs. */
  public boolean isOccupant(String key) {
    return nodeOfNamed.containsKey(key) || counted.containsKey(key);
  }

  /** The keys of all occupants. */
  public Set<String> keys() {
    Set<String> keys = new HashSet<>(nodeOfNamed.keySet());
    keys.addAll(counted.keySet());
    return keys;
  }

  /** How a node is used. */
  NodeUse use(String node) {
    if (countedOnNode.containsKey(node)) {
      return NodeUse.BY_COUNT;
    }
    return namedOnNode.containsKey(node) ? NodeUse.BY_GPU : NodeUse.FREE;
  }

  /** Known occupants of a GPU, oldest first. */
  Collection<Occupant> on(String gpu) {
    return overlay.on(gpu);
  }

  /** A GPU without the occupant of this key. */
  public GpuSnapshot without(String key, GpuSnapshot gpu) {
    snapshot(); // marks
    return overlay.onBut(key, gpu);
  }

  /** A node's GPUs without these occupants. */
  public List<GpuSnapshot> without(Set<String> keys, String node) {
    Occupancy rest = new Occupancy(inventory);
    rest.close(overlay.closed());
    for (String key : namedOnNode.getOrDefault(node, Set.of())) {
      if (!keys.contains(key)) {
        overlay.find(key).ifPresent(occupant -> rest.put(occupant, node));
      }
    }
    countedOnNode
        .getOrDefault(node, Map.of())
        .forEach((key, held) -> {
          if (!keys.contains(key)) {
            rest.put(key, node, held.holder(), held.gpus());
          }
        });
    ClusterSnapshot cluster = rest.snapshot();
    return inventory.gpus(node).stream().flatMap(gpu -> cluster.find(gpu.uuid()).stream()).toList();
  }

  /** All GPUs with their occupants. */
  @SuppressWarnings("ReferenceEquality") // the inventory gives the same object while it is the same
  public ClusterSnapshot snapshot() {
    ClusterSnapshot now = inventory.base();
    if (now != base) {
      base = now;
      freed++;
      freedAnywhere = true;
      dirty.addAll(countedOnNode.keySet());
    }
    dirty.forEach(this::mark);
    dirty.clear();
    return overlay.on(now);
  }

  private void mark(String node) {
    Map<String, Counted> there = countedOnNode.getOrDefault(node, Map.of());
    if (there.isEmpty()) {
      overlay.remove(MARKS + node);
      return;
    }
    long gpus = there.values().stream().mapToLong(Counted::gpus).sum();
    List<GpuSnapshot> whole =
        inventory.gpus(node).stream()
            .filter(gpu -> !(gpu.tenancy() instanceof Tenancy.Mig))
            .toList();
    List<GpuSnapshot> unoccupied =
        whole.stream().filter(gpu -> isUnoccupied(gpu.uuid(), MARKS + node)).toList();
    Stream<GpuSnapshot> marked =
        gpus > unoccupied.size()
            ? whole.stream()
            : unoccupied.stream().sorted(MAX_USED_FIRST).limit(gpus);
    String holders =
        there.values().stream().map(Counted::holder).sorted().collect(Collectors.joining(", "));
    overlay.put(
        new Occupant(
            MARKS + node, marked.map(GpuSnapshot::uuid).toList(), new Occupant.Alone(holders)));
  }

  private boolean isUnoccupied(String gpu, String marks) {
    return overlay.on(gpu).stream().allMatch(occupant -> occupant.key().equals(marks));
  }

  private static long usedBytes(GpuSnapshot gpu) {
    return gpu.memory() instanceof MemoryObservation.Measured measured
        ? measured.lastUsed().bytes()
        : 0;
  }
}
