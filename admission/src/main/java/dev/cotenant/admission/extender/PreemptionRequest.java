package dev.cotenant.admission.extender;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of the preempt verb [k8s.io/kube-scheduler/extender/v1, ExtenderPreemptionArgs].
 *
 * @param uid of the pod
 * @param victims by node
 */
record PreemptionRequest(String uid, Map<String, Victims> victims) {
  PreemptionRequest {
    victims = Collections.unmodifiableMap(new LinkedHashMap<>(victims));
  }

  /**
   * Victims on a node.
   *
   * @param uids of the pods
   * @param budgetViolations violated disruption budgets
   */
  record Victims(Set<String> uids, long budgetViolations) {
    Victims {
      uids = Collections.unmodifiableSet(new LinkedHashSet<>(uids));
    }
  }

  /**
   * Reads the arguments, with victims by uid or in full.
   *
   * @throws InputException ({@code malformed-arguments}) naming the field
   */
  static PreemptionRequest of(JsonNode arguments) {
    JsonNode pod = ExtenderRequest.pod(arguments);
    @Nullable JsonNode byUid = ExtenderRequest.field(arguments, "NodeNameToMetaVictims");
    @Nullable JsonNode inFull = ExtenderRequest.field(arguments, "NodeNameToVictims");
    @Nullable JsonNode nodes = byUid == null || byUid.isEmpty() ? inFull : byUid;
    if (nodes == null || !nodes.isObject()) {
      throw ExtenderRequest.malformed("neither 'NodeNameToMetaVictims' nor 'NodeNameToVictims'");
    }
    Map<String, Victims> victims = new LinkedHashMap<>();
    nodes.properties().forEach(entry -> victims.put(entry.getKey(), victims(entry.getValue())));
    return new PreemptionRequest(ExtenderRequest.text(pod.path("metadata"), "uid"), victims);
  }

  private static Victims victims(JsonNode node) {
    @Nullable JsonNode pods = ExtenderRequest.field(node, "Pods");
    @Nullable JsonNode violations = ExtenderRequest.field(node, "NumPDBViolations");
    Set<String> uids = new LinkedHashSet<>();
    if (pods != null) {
      for (JsonNode pod : pods) {
        JsonNode metadata = pod.path("metadata");
        uids.add(
            metadata.isObject()
                ? ExtenderRequest.text(metadata, "uid")
                : ExtenderRequest.text(pod, "UID"));
      }
    }
    return new Victims(uids, violations == null ? 0 : violations.asLong());
  }
}
