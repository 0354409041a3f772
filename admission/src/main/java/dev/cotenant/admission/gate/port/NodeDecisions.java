package dev.cotenant.admission.gate.port;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where a pod fits, for the scheduler that places it. */
public sealed interface NodeDecisions {
  /** The pod has not been seen yet. */
  record UnknownPod() implements NodeDecisions {}

  /** The pod needs no decision: its scheduler places it as it likes. */
  record Unmanaged() implements NodeDecisions {}

  /** The pod has capacity on this node. */
  record Granted(String node) implements NodeDecisions {}

  /** A decision about each node alone, in the order of the call. */
  record Each(Map<String, NodeDecision> byNode) implements NodeDecisions {
    public Each {
      byNode = Collections.unmodifiableMap(new LinkedHashMap<>(byNode));
    }
  }

  /**
   * A decision about one node.
   *
   * @param node its GPUs with all bound pods
   * @param decision beside them
   * @param preference among nodes that fit
   */
  record NodeDecision(ClusterSnapshot node, Decision decision, Preference preference) {}

  /** Which of several nodes is better, from the best. */
  enum Preference {
    /** Capacity was nominated for the pod there. */
    NOMINATED,
    FREE,
    /** A nomination of a different pod would have to move. */
    DISPLACES
  }
}
