package dev.cotenant.admission.patch;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.review.JsonPatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The smallest patch that writes a grant onto a pod and selects its node. */
public final class GrantPatch {
  private static final String HOSTNAME_LABEL = "kubernetes.io/hostname";

  private final PodDocument pod;
  private final List<JsonPatch.Operation> operations = new ArrayList<>();

  private GrantPatch(PodDocument pod) {
    this.pod = pod;
  }

  /** Writes these annotations, removes outdated ones, and selects the node. */
  public static JsonPatch of(PodDocument pod, Map<String, String> annotations, String node) {
    GrantPatch patch = new GrantPatch(pod);
    patch.annotate(annotations);
    patch.removeLeftovers(annotations.keySet());
    patch.select(node);
    return new JsonPatch(patch.operations);
  }

  private void annotate(Map<String, String> annotations) {
    if (pod.hasAnnotations()) {
      annotations.forEach(
          (name, value) -> add(JsonPatch.pointer("metadata", "annotations", name), value));
    } else {
      ObjectNode all = JsonNodeFactory.instance.objectNode();
      annotations.forEach(all::put);
      operations.add(new JsonPatch.Add(JsonPatch.pointer("metadata", "annotations"), all));
    }
  }

  private void removeLeftovers(Set<String> written) {
    Set<String> present = pod.annotations().keySet();
    CotenantAnnotations.WRITTEN.stream()
        .filter(name -> present.contains(name) && !written.contains(name))
        .map(name -> new JsonPatch.Remove(JsonPatch.pointer("metadata", "annotations", name)))
        .forEach(operations::add);
  }

  private void select(String node) {
    if (node.equals(pod.nodeSelector().get(HOSTNAME_LABEL))) {
      return;
    }
    if (pod.hasNodeSelector()) {
      add(JsonPatch.pointer("spec", "nodeSelector", HOSTNAME_LABEL), node);
    } else {
      ObjectNode selector = JsonNodeFactory.instance.objectNode().put(HOSTNAME_LABEL, node);
      operations.add(new JsonPatch.Add(JsonPatch.pointer("spec", "nodeSelector"), selector));
    }
  }

  private void add(String pointer, String value) {
    operations.add(new JsonPatch.Add(pointer, JsonNodeFactory.instance.textNode(value)));
  }
}
