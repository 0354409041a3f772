package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.NodeRequirements;
import java.util.Map;

/**
 * Everything about a pod on which the eligibility of nodes depends.
 *
 * @param nodes its requirements on nodes
 * @param demand its demand beside GPUs
 * @param avoided excluded nodes with the reason
 */
public record Needs(NodeRequirements nodes, Demand demand, Map<String, String> avoided) {
  /** For a pod whose scheduler checks the nodes. */
  public static final Needs ANY_NODE = of(NodeRequirements.TOLERATING_ALL);

  public Needs {
    avoided = Map.copyOf(avoided);
  }

  /** The needs of a pod that takes nothing but GPUs. */
  public static Needs of(NodeRequirements nodes) {
    return new Needs(nodes, Demand.NONE, Map.of());
  }
}
