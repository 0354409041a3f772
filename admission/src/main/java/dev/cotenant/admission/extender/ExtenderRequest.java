package dev.cotenant.admission.extender;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of kube-scheduler [k8s.io/kube-scheduler/extender/v1, ExtenderArgs]: a pod and the
 * nodes that earlier filters pass.
 *
 * @param pod its JSON
 * @param nodes the nodes
 */
record ExtenderRequest(JsonNode pod, Nodes nodes) {

  /** The nodes, in one of two forms. */
  sealed interface Nodes {
    /** In the order of the request, each once. */
    List<String> names();
  }

  /** By name, for an extender with its own cache of nodes. */
  record Named(List<String> names) implements Nodes {
    Named {
      names = List.copyOf(names);
    }
  }

  /**
   * In full, as in simulations; the answer repeats those that pass.
   *
   * @param list the NodeList
   * @param byName its items
   */
  record Full(JsonNode list, Map<String, JsonNode> byName) implements Nodes {
    @Override
    public List<String> names() {
      return List.copyOf(byName.keySet());
    }
  }

  /**
   * Reads the arguments. Keys are case-insensitive, as in Go; unknown ones are ignored.
   *
   * @throws InputException ({@code malformed-arguments}) naming the field
   */
  static ExtenderRequest of(JsonNode arguments) {
    JsonNode pod = pod(arguments);
    JsonNode names = field(arguments, "NodeNames");
    JsonNode nodes = field(arguments, "Nodes");
    if (names != null) {
      return new ExtenderRequest(pod, named(names));
    }
    if (nodes != null) {
      return new ExtenderRequest(pod, full(nodes));
    }
    throw malformed("'NodeNames' and 'Nodes' are both missing");
  }

  /** The pod of the arguments. */
  static JsonNode pod(JsonNode arguments) {
    JsonNode pod = field(arguments, "Pod");
    if (pod == null || !pod.isObject()) {
      throw malformed("'Pod' is " + (pod == null ? "missing" : "no object"));
    }
    return pod;
  }

  /** A text of the arguments that is not empty. */
  static String text(JsonNode object, String name) {
    JsonNode value = field(object, name);
    if (value == null || !value.isTextual() || value.textValue().isEmpty()) {
      throw malformed("'" + name + "' is missing or no text");
    }
    return value.textValue();
  }

  private static Named named(JsonNode names) {
    if (!names.isArray()) {
      throw malformed("'NodeNames' is not a list");
    }
    List<String> all = new ArrayList<>(names.size());
    for (JsonNode name : names) {
      if (!name.isTextual()) {
        throw malformed("'NodeNames' contains an invalid name");
      }
      all.add(name.textValue());
    }
    return new Named(all.stream().distinct().toList());
  }

  private static Full full(JsonNode list) {
    JsonNode items = list.isObject() ? field(list, "items") : null;
    if (!list.isObject() || (items != null && !items.isArray())) {
      throw malformed("'Nodes' is not a list of nodes");
    }
    Map<String, JsonNode> byName = new LinkedHashMap<>();
    Iterable<JsonNode> all = items == null ? List.of() : items;
    for (JsonNode item : all) {
      JsonNode name = item.path("metadata").path("name");
      if (!name.isTextual()) {
        throw malformed("'Nodes' contains a node without a name");
      }
      byName.putIfAbsent(name.textValue(), item);
    }
    return new Full(list, byName);
  }

  /** The field of this name, else the last one that differs in case only; null without one. */
  static @Nullable JsonNode field(JsonNode object, String name) {
    if (!object.isObject()) {
      throw malformed("the arguments are not a JSON object");
    }
    JsonNode found = object.get(name);
    if (found == null) {
      for (Map.Entry<String, JsonNode> entry : object.properties()) {
        found = entry.getKey().equalsIgnoreCase(name) ? entry.getValue() : found;
      }
    }
    return found == null || found.isNull() ? null : found;
  }

  static InputException malformed(String what) {
    return InputException.malformed(
        "malformed-arguments", "These are no arguments of a scheduler extender: " + what + ".");
  }
}
