package dev.cotenant.admission.inventory;

import static java.util.stream.Collectors.counting;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.cluster.NodeMatch;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.fit.ClusterFit;
import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.fit.Placements;
import dev.cotenant.admission.fit.Placements.Counting;
import dev.cotenant.admission.fit.Volumes;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are eligible for a pod, and why the others are not.
 *
 * <p>The requirements of a pod change only with nodes, the use of a node's GPUs changes with every
 * grant, and the fit beside GPUs with every pod of the node; all are cached.
 */
public final class Eligibility {
  private final Inventory inventory;
  private final Occupancy occupancy;
  private final ClusterFit fit;
  private final Map<NodeRequirements, Map<String, String>> byRequirements = new HashMap<>();
  private final Map<Way, Map<String, String>> byWay = new HashMap<>();
  private long nodes = -1;
  private long uses = -1;
  private @Nullable ClusterSnapshot largeIn;
  private Set<String> large = Set.of();

  /** How a pod would get onto a GPU. */
  public record Way(GpuAssignment gpuAssignment, Extent extent) {}

  public Eligibility(Inventory inventory, Occupancy occupancy, ClusterFit fit) {
    this.inventory = inventory;
    this.occupancy = occupancy;
    this.fit = fit;
  }

  /** Eligibility by GPUs alone, for pods whose scheduler checks everything else. */
  public static Eligibility byGpus(Inventory inventory, Occupancy occupancy) {
    Placements none = new Placements(_ -> {});
    return new Eligibility(
        inventory, occupancy, new ClusterFit(none, new Volumes(), inventory::nodes));
  }

  /**
   * The nodes with GPUs that are not eligible, and why.
   *
   * @param byRequirements by the requirements of the pod on nodes
   * @param byFit by resources, ports, other pods and volumes
   * @param byWay by the use of the node's GPUs
   * @param known whether GPUs that are not measured yet are left out too
   */
  public record Excluded(
      Map<String, String> byRequirements,
      Map<String, String> byFit,
      Map<String, String> byWay,
      boolean known) {
    /** Whether no node is excluded. */
    public boolean isEmpty() {
      return byRequirements.isEmpty() && byFit.isEmpty() && byWay.isEmpty();
    }

    /** Whether a GPU is eligible; null where all are. */
    public @Nullable Predicate<GpuSnapshot> filter() {
      if (isEmpty() && !known) {
        return null;
      }
      return gpu ->
          !byRequirements.containsKey(gpu.node())
              && !byFit.containsKey(gpu.node())
              && !byWay.containsKey(gpu.node())
              && !(known && Inventory.isPlaceholder(gpu.uuid()));
    }

    /** A reason for each node, by name. */
    public List<Reason> reasons() {
      Map<String, String> all = new TreeMap<>(byWay);
      all.putAll(byFit);
      all.putAll(byRequirements);
      List<Reason> reasons = new ArrayList<>();
      all.forEach((node, why) -> reasons.add(new Reason.NodeExcluded(node, why)));
      return reasons;
    }
  }

  /** GPUs that pods cannot share by this GPU assignment; null where they can share all. */
  public @Nullable Predicate<GpuSnapshot> unshareable(GpuAssignment gpuAssignment) {
    if (gpuAssignment.choosesGpu()) {
      return null;
    }
    Set<String> large = largeNodes();
    return gpu -> large.contains(gpu.node());
  }

  /** Nodes with several GPUs; never changed, since reasons are read by other threads. */
  @SuppressWarnings("ReferenceEquality") // the inventory gives the same object while it is the same
  private Set<String> largeNodes() {
    ClusterSnapshot now = inventory.base();
    if (now != largeIn) {
      largeIn = now;
      large =
          inventory.nodes().stream()
              .map(WatchedNode::name)
              .filter(node -> inventory.gpus(node).size() > 1)
              .collect(Collectors.toUnmodifiableSet());
    }
    return large;
  }

  public Excluded excluded(Needs needs, Way way) {
    return excluded(needs, way, Counting.ALL);
  }

  /** The nodes that would not be eligible if no pod had a grant. */
  public Excluded excludedWithoutGrants(Needs needs, Way way) {
    return excluded(needs, way, Counting.UNGRANTED);
  }

  private synchronized Excluded excluded(Needs needs, Way way, Counting counting) {
    if (nodes != inventory.generation()) {
      nodes = inventory.generation();
      byRequirements.clear();
      byWay.clear();
      fit.reset(inventory.nodes().stream().filter(node -> hasGpus(node)).toList());
    }
    if (uses != occupancy.uses()) {
      uses = occupancy.uses();
      byWay.clear();
    }
    return new Excluded(
        byRequirements.computeIfAbsent(needs.nodes(), this::byRequirements),
        fit.whyNot(needs, counting),
        byWay.computeIfAbsent(way, this::byWay),
        way.gpuAssignment().choosesGpu());
  }

  private boolean hasGpus(WatchedNode node) {
    return !inventory.gpus(node.name()).isEmpty();
  }

  private Map<String, String> byRequirements(NodeRequirements requirements) {
    Map<String, String> excluded = new HashMap<>();
    Map<String, Long> hosts =
        inventory.nodes().stream().collect(Collectors.groupingBy(Eligibility::host, counting()));
    for (WatchedNode node : inventory.nodes()) {
      if (hasGpus(node)) {
        NodeMatch.whyNot(requirements, node)
            .or(() -> whyNoPodGetsThere(node, hosts))
            .ifPresent(why -> excluded.put(node.name(), why));
      }
    }
    return excluded;
  }

  private static String host(WatchedNode node) {
    return node.labels().getOrDefault(WatchedNode.HOSTNAME_LABEL, "");
  }

  /** Pods are sent to a node by the label of its host name, which must name it and no other. */
  private static Optional<String> whyNoPodGetsThere(WatchedNode node, Map<String, Long> hosts) {
    String host = host(node);
    if (host.isEmpty()) {
      return Optional.of(
          "it has no label " + WatchedNode.HOSTNAME_LABEL + ", by which pods are sent to it");
    }
    return hosts.getOrDefault(host, 1L) > 1
        ? Optional.of(
            "another node has the label " + WatchedNode.HOSTNAME_LABEL + "=" + host + " too")
        : Optional.empty();
  }

  private Map<String, String> byWay(Way way) {
    Map<String, String> excluded = new HashMap<>();
    for (WatchedNode node : inventory.nodes()) {
      int gpus = inventory.gpus(node.name()).size();
      if (gpus > 0) {
        Optional<String> why =
            way.gpuAssignment().whyNot(way.extent(), gpus, occupancy.use(node.name()));
        why.ifPresent(text -> excluded.put(node.name(), text));
      }
    }
    return excluded;
  }
}
