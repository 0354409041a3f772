package dev.cotenant.admission.extender;

import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Evidence.WithinLimits;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Decides about a pod on each node alone. Pure: on one cluster the same nodes get the same
 * verdicts.
 */
final class NodeVerdicts {
  /** The highest score of kube-scheduler [extender/v1, MaxExtenderPriority]. */
  static final int BEST_SCORE = 10;

  private static final int MAX_REASONS = 2;

  /** Messages of thousands of nodes end up in one Event of 1,024 bytes. */
  private static final int MAX_WHY = 400;

  private final PodDecisions decisions;

  NodeVerdicts(PodDecisions decisions) {
    this.decisions = decisions;
  }

  /** The verdict about each of these nodes, in their order. */
  Map<String, NodeVerdict> on(ClusterSnapshot cluster, Colocatable pod, Collection<String> nodes) {
    PodDecisions.Prepared prepared = decisions.prepare(pod.onNode(null), cluster);
    Map<String, List<GpuSnapshot>> gpus = new HashMap<>();
    nodes.forEach(node -> gpus.put(node, new ArrayList<>()));
    for (GpuSnapshot gpu : cluster.gpus()) {
      List<GpuSnapshot> ofNode = gpus.get(gpu.node());
      if (ofNode != null) {
        ofNode.add(gpu);
      }
    }
    Map<String, NodeVerdict> verdicts = new LinkedHashMap<>();
    for (String node : nodes) {
      ClusterSnapshot alone =
          new ClusterSnapshot(cluster.takenAt(), gpus.getOrDefault(node, List.of()));
      verdicts.put(node, verdict(alone, prepared.on(alone)));
    }
    return verdicts;
  }

  /** Decides among these nodes; the placement request is that of the cluster now. */
  Function<ClusterSnapshot, Decision> among(
      Collection<String> nodes, Colocatable pod, ClusterSnapshot now) {
    PodDecisions.Prepared prepared = decisions.prepare(pod.onNode(null), now);
    return cluster -> prepared.on(only(cluster, nodes));
  }

  /** The GPUs of these nodes; the same snapshot, with its index, where that is all. */
  private static ClusterSnapshot only(ClusterSnapshot cluster, Collection<String> nodes) {
    List<GpuSnapshot> there =
        cluster.gpus().stream().filter(gpu -> nodes.contains(gpu.node())).toList();
    return there.size() == cluster.gpus().size()
        ? cluster
        : new ClusterSnapshot(cluster.takenAt(), there);
  }

  private static NodeVerdict verdict(ClusterSnapshot node, Decision decision) {
    if (node.gpus().isEmpty()) {
      return new NodeVerdict.Hopeless("NoCandidateGpu: no GPU is known on this node");
    }
    return switch (decision) {
      case Decision.Admitted admitted -> new NodeVerdict.Fits(score(node, admitted));
      case Decision.Held(List<Reason> reasons) -> new NodeVerdict.Full(why(reasons));
      case Decision.Denied(List<Reason> reasons) -> new NodeVerdict.Hopeless(why(reasons));
    };
  }

  /**
   * How well it packs: for a share, the summed utilization relative to its limit; for whole GPUs,
   * the fraction of the node's GPUs that are in use.
   */
  private static int score(ClusterSnapshot node, Decision.Admitted admitted) {
    double packed =
        switch (admitted.evidence()) {
          case WithinLimits numbers ->
              numbers.summedUtilization().percent()
                  / Math.max(1, numbers.limits().summedUtilization().percent());
          case Evidence.Recorded _ -> 0; // only in grants of earlier terms
          case Evidence.FreeGpus whole ->
              1 - (double) (free(node) - whole.gpus()) / node.gpus().size();
        };
    return (int) Math.round(Math.clamp(packed, 0, 1) * BEST_SCORE);
  }

  private static long free(ClusterSnapshot node) {
    return node.gpus().stream()
        .filter(gpu -> gpu.tenancy() instanceof Tenancy.Shared(var tenants) && tenants.isEmpty())
        .count();
  }

  private static String why(List<Reason> reasons) {
    List<Reason> all = ReasonOrder.byUsefulness(reasons);
    String first =
        all.stream()
            .limit(MAX_REASONS)
            .map(reason -> reason.code() + ": " + reason.sentence())
            .collect(Collectors.joining("; "));
    String more = all.size() > MAX_REASONS ? " (and " + (all.size() - MAX_REASONS) + " more)" : "";
    return (first.length() > MAX_WHY ? first.substring(0, MAX_WHY) + "…" : first) + more;
  }
}
