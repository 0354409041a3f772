package dev.cotenant.admission.fill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.GpuDialect;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names by which one container of a pod requests a GPU, in the pod's JSON: resources, which are
 * in limits and, where there are any, in requests, or annotations.
 *
 * @param pod whose annotations are meant
 * @param container whose resources are
 */
record ContainerRequest(ObjectNode pod, ObjectNode container) {
  private static final String METADATA = "metadata";
  private static final String ANNOTATIONS = "annotations";
  private static final String SPEC = "spec";
  private static final List<String> CONTAINERS = List.of("containers", "initContainers");
  private static final String LIMITS = "limits";
  private static final String REQUESTS = "requests";

  /** The container of this name; null without one. */
  static @Nullable ContainerRequest of(JsonNode json, String name) {
    if (!(json instanceof ObjectNode pod)) {
      return null;
    }
    for (String list : CONTAINERS) {
      for (JsonNode container : pod.path(SPEC).path(list)) {
        if (container instanceof ObjectNode object
            && name.equals(container.path("name").asText())) {
          return new ContainerRequest(pod, object);
        }
      }
    }
    return null;
  }

  /**
   * A copy of a pod in which the annotations and the containers of this name may be written; it
   * shares everything else with the pod.
   */
  static ObjectNode copy(ObjectNode pod, String name) {
    ObjectNode copy = shallow(pod);
    if (pod.path(METADATA) instanceof ObjectNode metadata) {
      ObjectNode own = shallow(metadata);
      if (metadata.path(ANNOTATIONS) instanceof ObjectNode annotations) {
        own.set(ANNOTATIONS, shallow(annotations));
      }
      copy.set(METADATA, own);
    }
    if (pod.path(SPEC) instanceof ObjectNode spec) {
      ObjectNode own = shallow(spec);
      for (String list : CONTAINERS) {
        if (spec.path(list) instanceof ArrayNode containers) {
          own.set(list, copy(containers, name));
        }
      }
      copy.set(SPEC, own);
    }
    return copy;
  }

  private static ArrayNode copy(ArrayNode containers, String name) {
    ArrayNode copy = JsonNodeFactory.instance.arrayNode(containers.size());
    for (JsonNode container : containers) {
      boolean isMeant = name.equals(container.path("name").asText());
      copy.add(isMeant ? container.deepCopy() : container);
    }
    return copy;
  }

  private static ObjectNode shallow(ObjectNode node) {
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    copy.setAll(node);
    return copy;
  }

  /** The value; null without one. */
  @Nullable String value(GpuDialect dialect, String name) {
    JsonNode value =
        isAnnotation(dialect, name)
            ? pod.path(METADATA).path(ANNOTATIONS).path(name)
            : resource(name);
    return value.isMissingNode() || value.isNull() ? null : value.asText();
  }

  private JsonNode resource(String name) {
    JsonNode resources = container.path("resources");
    JsonNode limit = resources.path(LIMITS).path(name);
    return limit.isMissingNode() ? resources.path(REQUESTS).path(name) : limit;
  }

  void put(GpuDialect dialect, String name, String value) {
    if (isAnnotation(dialect, name)) {
      annotate(pod, name, value);
      return;
    }
    ObjectNode resources = child(container, "resources");
    child(resources, LIMITS).put(name, value);
    if (resources.path(REQUESTS) instanceof ObjectNode requests) {
      requests.put(name, value);
    }
  }

  void remove(GpuDialect dialect, String name) {
    if (isAnnotation(dialect, name)) {
      unannotate(pod, name);
      return;
    }
    for (String list : new String[] {LIMITS, REQUESTS}) {
      if (container.path("resources").path(list) instanceof ObjectNode amounts) {
        amounts.remove(name);
      }
    }
  }

  /**
   * The end of the log becomes the termination message of a container that fails without one, so
   * that a lack of memory is seen.
   */
  void explainItsEnd() {
    if (container.path("terminationMessagePolicy").asText("File").equals("File")) {
      container.put("terminationMessagePolicy", "FallbackToLogsOnError");
    }
  }

  /** Removes one argument that is equal to this. */
  void unargue(String argument) {
    if (container.path("args") instanceof ArrayNode arguments) {
      for (int i = arguments.size() - 1; i >= 0; i--) {
        if (arguments.get(i).asText().equals(argument)) {
          arguments.remove(i);
          return;
        }
      }
    }
  }

  static void annotate(ObjectNode pod, String name, String value) {
    child(child(pod, METADATA), ANNOTATIONS).put(name, value);
  }

  static void unannotate(ObjectNode pod, String name) {
    if (pod.path(METADATA).path(ANNOTATIONS) instanceof ObjectNode annotations) {
      annotations.remove(name);
    }
  }

  private static boolean isAnnotation(GpuDialect dialect, String name) {
    return dialect.isAnnotated() && !name.equals(GpuDialect.WHOLE_GPUS);
  }

  private static ObjectNode child(ObjectNode parent, String name) {
    return parent.path(name) instanceof ObjectNode there ? there : parent.putObject(name);
  }
}
