package dev.cotenant.admission.extender;

import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.gate.port.NodeDecisions;
import dev.cotenant.admission.gate.port.NodeDecisions.NodeDecision;
import dev.cotenant.admission.gate.port.NodeDecisions.Preference;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.Decision;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Placement on the ledger of the leading gate controller. */
public final class GatePlacement implements NodePlacement {
  /**
   * Nodes with reasons in full. kube-scheduler counts equal reasons and joins the others to one
   * Event, which the API server refuses beyond 1,024 characters.
   */
  private static final int MAX_EXPLAINED = 1;

  private final GateCalls gate;

  public GatePlacement(GateCalls gate) {
    this.gate = gate;
  }

  @Override
  public Map<String, NodeResult> results(
      PodDocument pod, Colocatable request, Collection<String> nodes) {
    @Nullable String uid = pod.uid();
    if (uid == null) {
      throw InputException.malformed("malformed-arguments", "The pod has no uid.");
    }
    return switch (gate.query(controller -> controller.decide(uid, nodes))) {
      case NodeDecisions.UnknownPod _ ->
          throw new InputException(
              InputException.Kind.NOT_FOUND,
              "unknown-pod",
              "The pod has not been seen by the gate controller yet: it is scheduled again.");
      case NodeDecisions.Unmanaged _ -> Extender.all(nodes, new NodeResult.Fits(0));
      case NodeDecisions.Granted(String node) -> Extender.onlyOn(node, nodes);
      case NodeDecisions.Each(Map<String, NodeDecision> decisions) -> {
        Map<String, NodeResult> results = new LinkedHashMap<>();
        int explained = 0;
        for (Map.Entry<String, NodeDecision> entry : decisions.entrySet()) {
          NodeDecision decided = entry.getValue();
          boolean admitted = decided.decision() instanceof Decision.Admitted;
          explained += admitted ? 0 : 1;
          results.put(
              entry.getKey(),
              admitted || explained <= MAX_EXPLAINED ? result(decided) : brief(decided));
        }
        yield results;
      }
    };
  }

  private static NodeResult brief(NodeDecision refused) {
    return refused.node().gpus().isEmpty()
        ? new NodeResult.Hopeless("NoCandidateGpu: no GPU is known on this node")
        : new NodeResult.Full("no GPU has the capacity that the pod needs");
  }

  /** The nominated node has the best score; nodes with nominations of other pods have the least. */
  private static NodeResult result(NodeDecision decided) {
    NodeResult result = NodeResults.of(decided.node(), decided.decision());
    if (!(result instanceof NodeResult.Fits(int packed))) {
      return result;
    }
    return new NodeResult.Fits(
        switch (decided.preference()) {
          case Preference.NOMINATED -> NodeResults.BEST_SCORE;
          case Preference.FREE -> Math.clamp(packed, 1, NodeResults.BEST_SCORE - 1);
          case Preference.DISPLACES -> 0;
        });
  }

  @Override
  public Set<String> fitsWithout(String uid, Map<String, Set<String>> victims) {
    return gate.query(controller -> controller.fitsWithout(uid, victims));
  }

  @Override
  public Optional<String> bind(PodIdentity pod, String uid, String node) {
    return gate.await(controller -> controller.bind(pod, uid, node));
  }
}
