package dev.cotenant.e2e;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;

/** Node selector and required node affinity of a pod against the labels of a node. */
final class NodeSelection {
  private NodeSelection() {}

  static boolean matches(Pod pod, GpuNode node) {
    Map<String, String> labels = node.allLabels();
    Map<String, String> selector = pod.getSpec().getNodeSelector();
    return (selector == null || labels.entrySet().containsAll(selector.entrySet()))
        && (terms(pod).isEmpty()
            || terms(pod).stream().anyMatch(term -> matches(term, labels, node.name())));
  }

  private static List<NodeSelectorTerm> terms(Pod pod) {
    var affinity = pod.getSpec().getAffinity();
    if (affinity == null || affinity.getNodeAffinity() == null) {
      return List.of();
    }
    var required = affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
    return required == null ? List.of() : required.getNodeSelectorTerms();
  }

  private static boolean matches(NodeSelectorTerm term, Map<String, String> labels, String name) {
    return !(term.getMatchExpressions().isEmpty() && term.getMatchFields().isEmpty())
        && term.getMatchExpressions().stream().allMatch(one -> matches(one, labels))
        && term.getMatchFields().stream()
            .allMatch(one -> matches(one, Map.of("metadata.name", name)));
  }

  private static boolean matches(NodeSelectorRequirement one, Map<String, String> labels) {
    String value = labels.get(one.getKey());
    return switch (one.getOperator()) {
      case "In" -> value != null && one.getValues().contains(value);
      case "NotIn" -> value == null || !one.getValues().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      case "Gt" -> value != null && compare(value, one) > 0;
      case "Lt" -> value != null && compare(value, one) < 0;
      default -> throw new IllegalArgumentException("operator " + one.getOperator());
    };
  }

  private static int compare(String value, NodeSelectorRequirement one) {
    return Long.compare(Long.parseLong(value), Long.parseLong(one.getValues().getFirst()));
  }
}
