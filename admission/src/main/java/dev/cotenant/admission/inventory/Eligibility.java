package dev.cotenant.admission.inventory;

import static java.util.stream.Collectors.counting;

import dev.cotenant.admission.cluster.NodeMatch;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.targeting.Targeting;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are eligible for a pod, and why the others are not.
 *
 * <p>What a pod wants of nodes changes only with nodes, how nodes are used changes with every
 * grant; both are cached, the latter by node.
 */
public final class Eligibility {
  private final Inventory inventory;
  private final Occupancy occupancy;
  private final Map<NodeRequirements, Map<String, String>> byRequirements = new HashMap<>();
  private final Map<Way, Map<String, String>> byWay = new HashMap<>();
  private long nodes = -1;
  private long uses = -1;

  /** How a pod would get onto a GPU. */
  public record Way(Targeting targeting, Extent extent) {}

  public Eligibility(Inventory inventory, Occupancy occupancy) {
    this.inventory = inventory;
    this.occupancy = occupancy;
  }

  /** The nodes with GPUs that are not eligible, and why. */
  public record Excluded(
      Map<String, String> byRequirements, Map<String, String> byWay, boolean known) {
    /** Whether a GPU is eligible; null where all are. */
    public @Nullable Predicate<GpuSnapshot> filter() {
      if (byRequirements.isEmpty() && byWay.isEmpty() && !known) {
        return null;
      }
      return gpu ->
          !byRequirements.containsKey(gpu.node())
              && !byWay.containsKey(gpu.node())
              && !(known && Inventory.isPlaceholder(gpu.uuid()));
    }

    /** A reason for each node, by name. */
    public List<Reason> reasons() {
      Map<String, String> all = new TreeMap<>(byWay);
      all.putAll(byRequirements);
      List<Reason> reasons = new ArrayList<>();
      all.forEach((node, why) -> reasons.add(new Reason.NodeExcluded(node, why)));
      return reasons;
    }
  }

  /** GPUs that pods cannot share by this targeting; null where they can share all. */
  public @Nullable Predicate<GpuSnapshot> unshareable(Targeting targeting) {
    return targeting.choosesGpu()
        ? null
        : gpu -> !targeting.canShare(inventory.gpus(gpu.node()).size());
  }

  public Excluded excluded(NodeRequirements requirements, Way way) {
    if (nodes != inventory.generation()) {
      nodes = inventory.generation();
      byRequirements.clear();
      byWay.clear();
    }
    if (uses != occupancy.uses()) {
      uses = occupancy.uses();
      byWay.clear();
    }
    return new Excluded(
        byRequirements.computeIfAbsent(requirements, this::byRequirements),
        byWay.computeIfAbsent(way, this::byWay),
        way.targeting().choosesGpu());
  }

  private Map<String, String> byRequirements(NodeRequirements requirements) {
    Map<String, String> excluded = new HashMap<>();
    Map<String, Long> hosts =
        inventory.nodes().stream().collect(Collectors.groupingBy(Eligibility::host, counting()));
    for (WatchedNode node : inventory.nodes()) {
      if (!inventory.gpus(node.name()).isEmpty()) {
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
            way.targeting().whyNot(way.extent(), gpus, occupancy.use(node.name()));
        why.ifPresent(text -> excluded.put(node.name(), text));
      }
    }
    return excluded;
  }
}
