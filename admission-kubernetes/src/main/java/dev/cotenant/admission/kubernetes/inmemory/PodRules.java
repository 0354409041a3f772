package dev.cotenant.admission.kubernetes.inmemory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What the API server forbids when a pod is changed, as far as it concerns gates [KEP-3521,
 * KEP-3838]: gates are only removed; a gated pod's node selector only grows; nothing else of the
 * spec changes.
 */
final class PodRules {
  private PodRules() {}

  /** The field that may not be changed like that, if there is one. */
  static Optional<String> broken(JsonNode before, JsonNode after) {
    Set<String> gates = gates(before);
    if (!gates.containsAll(gates(after))) {
      return Optional.of("spec.schedulingGates");
    }
    JsonNode selector = before.path("spec").path("nodeSelector");
    JsonNode changed = after.path("spec").path("nodeSelector");
    if (gates.isEmpty() ? !selector.equals(changed) : !isGrown(selector, changed)) {
      return Optional.of("spec.nodeSelector");
    }
    return rest(before).equals(rest(after)) ? Optional.empty() : Optional.of("spec");
  }

  private static boolean isGrown(JsonNode before, JsonNode after) {
    return before.properties().stream()
        .allMatch(entry -> entry.getValue().equals(after.path(entry.getKey())));
  }

  private static Set<String> gates(JsonNode pod) {
    Set<String> names = new HashSet<>();
    pod.path("spec").path("schedulingGates").forEach(gate -> names.add(gate.path("name").asText()));
    return names;
  }

  private static JsonNode rest(JsonNode pod) {
    JsonNode spec = pod.path("spec").deepCopy();
    if (spec instanceof ObjectNode object) {
      object.remove("schedulingGates");
      object.remove("nodeSelector");
    }
    return spec;
  }
}
