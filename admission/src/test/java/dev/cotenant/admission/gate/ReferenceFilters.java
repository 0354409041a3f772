package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.SpreadConstraint;
import dev.cotenant.admission.cluster.PodTopology.Term;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The filters of kube-scheduler for cores, number of pods, node selectors, required pod
 * anti-affinity and topology spread, each computed anew from all bound pods.
 */
final class ReferenceFilters {
  private final List<WatchedNode> nodes;
  private final Map<String, WatchedNode> byName = new HashMap<>();
  private final Collection<StoredPod> pods;

  /**
   * @param pods all pods; those with a node are bound
   */
  ReferenceFilters(List<WatchedNode> nodes, Collection<StoredPod> pods) {
    this.nodes = nodes;
    nodes.forEach(node -> byName.put(node.name(), node));
    this.pods = pods;
  }

  /** The nodes that pass, in their order. */
  List<WatchedNode> feasible(StoredPod pod) {
    return nodes.stream()
        .filter(node -> selects(pod, node))
        .filter(node -> hasRoom(pod, node))
        .filter(node -> isApart(pod, node))
        .filter(node -> isSpread(pod, node))
        .toList();
  }

  private static boolean selects(StoredPod pod, WatchedNode node) {
    return contains(node, pod.requirements.labels()) && contains(node, pod.nodeSelector);
  }

  private static boolean contains(WatchedNode node, Map<String, String> labels) {
    return node.labels().entrySet().containsAll(labels.entrySet());
  }

  private List<StoredPod> on(WatchedNode node) {
    return pods.stream().filter(pod -> node.name().equals(pod.node)).toList();
  }

  private boolean hasRoom(StoredPod pod, WatchedNode node) {
    List<StoredPod> there = on(node);
    long cores = there.stream().mapToLong(ReferenceFilters::millicores).sum() + millicores(pod);
    return cores <= node.allocatable().of(ResourceAmounts.CPU)
        && there.size() < node.allocatable().of(ResourceAmounts.PODS);
  }

  private static long millicores(StoredPod pod) {
    return pod.footprint.requests().of(ResourceAmounts.CPU);
  }

  private boolean isApart(StoredPod pod, WatchedNode node) {
    return pods.stream()
        .filter(other -> other.node != null)
        .noneMatch(other ->
            repels(pod.footprint, other, domain(other), node)
                || repels(other.footprint, pod, node, domain(other)));
  }

  private WatchedNode domain(StoredPod bound) {
    return Objects.requireNonNull(byName.get(bound.node));
  }

  private static boolean repels(
      Footprint owner, StoredPod other, WatchedNode otherNode, WatchedNode ownNode) {
    return owner.topology().antiAffinity().stream()
        .anyMatch((Term term) ->
            matches(term.pods(), other)
                && Objects.equals(
                    otherNode.labels().get(term.topologyKey()),
                    ownNode.labels().get(term.topologyKey())));
  }

  private static boolean matches(PodSelector selector, StoredPod pod) {
    return selector.matches(pod.identity.namespace(), pod.footprint.labels());
  }

  private boolean isSpread(StoredPod pod, WatchedNode node) {
    return pod.footprint.topology().spread().stream()
        .allMatch(constraint -> keepsSkew(constraint, pod, node));
  }

  private boolean keepsSkew(SpreadConstraint constraint, StoredPod pod, WatchedNode node) {
    Map<String, Integer> matching = new HashMap<>();
    for (WatchedNode one : nodes) {
      if (selects(pod, one)) {
        int count = (int) on(one).stream().filter(p -> matches(constraint.pods(), p)).count();
        matching.merge(label(one, constraint), count, Integer::sum);
      }
    }
    int least = matching.values().stream().mapToInt(Integer::intValue).min().orElse(0);
    int self = matches(constraint.pods(), pod) ? 1 : 0;
    return matching.getOrDefault(label(node, constraint), 0) + self - least <= constraint.maxSkew();
  }

  private static String label(WatchedNode node, SpreadConstraint constraint) {
    return Objects.requireNonNull(node.labels().get(constraint.topologyKey()));
  }
}
