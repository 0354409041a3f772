package dev.cotenant.admission.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod.Scheduling;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuContainer;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.review.JsonPatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The smallest patch of a new pod: annotations, the scheduling gate, the scheduler, a node
 * selector, and environment variables with later values. Idempotent: the patch of a patched pod is
 * empty.
 */
public final class AdmissionPatch {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String ANNOTATIONS = JsonPatch.pointer("metadata", "annotations");
  private static final String CLAIMS = JsonPatch.pointer("spec", "resourceClaims");
  private static final String SELECTOR = JsonPatch.pointer("spec", "nodeSelector");
  private static final String GATES = JsonPatch.pointer("spec", "schedulingGates");
  private static final String SCHEDULER = JsonPatch.pointer("spec", "schedulerName");

  /** Of the annotations that only Cotenant writes, their pointers. */
  private static final Map<String, String> RESERVED =
      CotenantAnnotations.WRITTEN.stream()
          .collect(Collectors.toUnmodifiableMap(Function.identity(), AdmissionPatch::pointer));

  private final PodDocument pod;
  private final List<JsonPatch.Operation> operations = new ArrayList<>();

  public AdmissionPatch(PodDocument pod) {
    this.pod = pod;
  }

  /**
   * Writes these annotations, and removes all others that only Cotenant writes: they are copies or
   * forged.
   */
  public AdmissionPatch annotate(Map<String, String> annotations) {
    if (!pod.hasAnnotations()) {
      ObjectNode all = JSON.objectNode();
      annotations.forEach(all::put);
      operations.add(new JsonPatch.Add(ANNOTATIONS, all));
      return this;
    }
    Map<String, String> present = pod.annotations();
    annotations.forEach((name, value) -> {
      if (!value.equals(present.get(name))) {
        operations.add(new JsonPatch.Add(annotation(name), JSON.textNode(value)));
      }
    });
    remove(present.keySet(), annotations.keySet());
    return this;
  }

  private void remove(Set<String> present, Set<String> written) {
    for (String name : present) {
      if (RESERVED.containsKey(name) && !written.contains(name)) {
        operations.add(new JsonPatch.Remove(annotation(name)));
      }
    }
  }

  private static String annotation(String name) {
    String reserved = RESERVED.get(name);
    return reserved == null ? pointer(name) : reserved;
  }

  private static String pointer(String annotation) {
    return ANNOTATIONS + JsonPatch.pointer(annotation);
  }

  /** Adds our gate behind others. */
  public AdmissionPatch gate() {
    if (pod.gates().contains(CotenantAnnotations.GATE)) {
      return this;
    }
    addTo(GATES, JSON.objectNode().put("name", CotenantAnnotations.GATE), pod.hasGates());
    return this;
  }

  /** Names the scheduler, unless the pod names another than the default one. */
  public AdmissionPatch schedule(@Nullable String scheduler) {
    String present = Objects.requireNonNullElse(pod.schedulerName(), "");
    boolean unnamed = present.isEmpty() || present.equals(Scheduling.DEFAULT_SCHEDULER);
    if (scheduler != null && unnamed && !scheduler.equals(present)) {
      operations.add(new JsonPatch.Add(SCHEDULER, JSON.textNode(scheduler)));
    }
    return this;
  }

  /** Adds variables to a container, each from the annotation of its value. */
  public AdmissionPatch refer(GpuContainer container, Map<String, String> annotationByVariable) {
    boolean there = container.hasVariables();
    for (Map.Entry<String, String> entry : annotationByVariable.entrySet()) {
      addTo(container.pointer() + "/env", variable(entry.getKey(), field(entry.getValue())), there);
      there = true;
    }
    return this;
  }

  /**
   * Adds a ResourceClaim to the pod and its use to the containers, where missing.
   *
   * @param name the pod's own name of it
   */
  public AdmissionPatch claim(String name, String resourceClaim, List<GpuContainer> containers) {
    if (!pod.resourceClaims().containsKey(name)) {
      ObjectNode named =
          JSON.objectNode().put("name", name).put("resourceClaimName", resourceClaim);
      addTo(CLAIMS, named, pod.hasResourceClaims());
    }
    for (GpuContainer container : containers) {
      if (!container.claims().names().contains(name)) {
        use(container, JSON.objectNode().put("name", name));
      }
    }
    return this;
  }

  /**
   * Adds an argument to a container.
   *
   * @param pointer JSON pointer of the container
   * @param hasArguments whether it has {@code args}
   */
  public AdmissionPatch argue(String pointer, boolean hasArguments, String argument) {
    addTo(pointer + "/args", JSON.textNode(argument), hasArguments);
    return this;
  }

  /** Selects a node. */
  public AdmissionPatch select(String node) {
    if (node.equals(pod.nodeSelector().get(WatchedNode.HOSTNAME_LABEL))) {
      return this;
    }
    operations.add(
        pod.hasNodeSelector()
            ? new JsonPatch.Add(
                SELECTOR + JsonPatch.pointer(WatchedNode.HOSTNAME_LABEL), JSON.textNode(node))
            : new JsonPatch.Add(SELECTOR, JSON.objectNode().put(WatchedNode.HOSTNAME_LABEL, node)));
    return this;
  }

  private void use(GpuContainer container, ObjectNode claim) {
    String resources = container.pointer() + "/resources";
    switch (container.claims().missing()) {
      case NOTHING -> addTo(resources + "/claims", claim, true);
      case CLAIMS -> addTo(resources + "/claims", claim, false);
      case RESOURCES -> {
        ObjectNode made = JSON.objectNode();
        made.putArray("claims").add(claim);
        operations.add(new JsonPatch.Add(resources, made));
      }
    }
  }

  /** The field path of an annotation. */
  static String field(String annotation) {
    return "metadata.annotations['" + annotation + "']";
  }

  private static ObjectNode variable(String name, String field) {
    ObjectNode variable = JSON.objectNode().put("name", name);
    variable.putObject("valueFrom").putObject("fieldRef").put("fieldPath", field);
    return variable;
  }

  private void addTo(String array, JsonNode element, boolean there) {
    if (there) {
      operations.add(new JsonPatch.Add(array + "/-", element));
    } else {
      ArrayNode made = JSON.arrayNode().add(element);
      operations.add(new JsonPatch.Add(array, made));
    }
  }

  public JsonPatch toPatch() {
    return new JsonPatch(operations);
  }
}
