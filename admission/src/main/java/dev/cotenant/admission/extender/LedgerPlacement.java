package dev.cotenant.admission.extender;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Placement without a gate controller [mode immediate]: a pod with a grant of the webhook fits on
 * its node alone, any other annotated pod where the ledger leaves capacity. Nothing is bound.
 */
public final class LedgerPlacement implements NodePlacement {
  private final PodDecisions decisions;
  private final CapacityLedger capacity;

  public LedgerPlacement(PodDecisions decisions, CapacityLedger capacity) {
    this.decisions = decisions;
    this.capacity = capacity;
  }

  @Override
  public Map<String, NodeResult> results(
      PodDocument pod, Colocatable request, Collection<String> nodes) {
    if (!Extender.isAnnotated(pod)) {
      return Extender.all(nodes, new NodeResult.Fits(0));
    }
    @Nullable String granted = pod.annotations().get(CotenantAnnotations.ASSIGNED_NODE);
    return granted == null
        ? on(capacity.withGrants(), request, nodes)
        : Extender.onlyOn(granted, nodes);
  }

  private Map<String, NodeResult> on(
      ClusterSnapshot cluster, Colocatable pod, Collection<String> nodes) {
    PodDecisions.Prepared prepared = decisions.prepare(pod.onNode(null), cluster);
    Map<String, List<GpuSnapshot>> gpus = new HashMap<>();
    nodes.forEach(node -> gpus.put(node, new ArrayList<>()));
    for (GpuSnapshot gpu : cluster.gpus()) {
      List<GpuSnapshot> ofNode = gpus.get(gpu.node());
      if (ofNode != null) {
        ofNode.add(gpu);
      }
    }
    Map<String, NodeResult> results = new LinkedHashMap<>();
    for (String node : nodes) {
      ClusterSnapshot alone = cluster.part(gpus.getOrDefault(node, List.of()));
      results.put(node, NodeResults.of(alone, prepared.on(alone)));
    }
    return results;
  }

  @Override
  public Set<String> fitsWithout(String uid, Map<String, Set<String>> victims) {
    return Set.of();
  }

  @Override
  public Optional<String> bind(PodIdentity pod, String uid, String node) {
    return Optional.of("pods are bound by the gate controller, in mode enforce");
  }
}
