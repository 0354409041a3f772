package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import dev.cotenant.plugin.WireMessage.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One node of a graph, with a single output.
 *
 * @param operator its {@code op_type}, after the domain where that is {@code ai.onnx.ml}
 * @param inputs names of operands; omitted ones at the end are left out
 * @param output name of its result
 * @param attributes by name
 * @param file for messages
 */
record Node(
    String operator,
    List<String> inputs,
    String output,
    Map<String, WireMessage> attributes,
    String file) {
  private static final int MAX_ATTRIBUTES = 20;

  static Node of(WireMessage message, String file) {
    String domain = message.text(7);
    String type = message.text(4);
    boolean isStandard = domain.isEmpty() || domain.equals("ai.onnx");
    Map<String, WireMessage> attributes = new HashMap<>();
    Node node =
        new Node(
            isStandard ? type : domain + "." + type,
            message.texts(1).stream().filter(input -> !input.isEmpty()).toList(),
            message.text(2),
            attributes,
            file);
    node.require(
        message.count(2) == 1 && !node.inputs.isEmpty() && message.count(5) <= MAX_ATTRIBUTES,
        "it must have operands, one output and at most " + MAX_ATTRIBUTES + " attributes");
    for (WireMessage attribute : message.messages(5, Kind.ATTRIBUTE)) {
      if (attributes.put(attribute.text(1), attribute) != null) {
        throw node.refused("it has an attribute twice");
      }
    }
    return node;
  }

  /** An integer attribute. */
  long number(String attribute, long otherwise) {
    return attribute(attribute, 2).map(found -> found.number(3, 0)).orElse(otherwise);
  }

  /** An attribute of integers; none where it is absent. */
  long[] numbers(String attribute) {
    return attribute(attribute, 7).map(found -> found.numbers(8)).orElse(new long[0]);
  }

  /** How many floats an attribute holds. */
  long floats(String attribute) {
    return attribute(attribute, 6).map(found -> found.size(7) / Float.BYTES).orElse(0L);
  }

  /** An attribute of texts; none where it is absent. */
  List<String> texts(String attribute) {
    return attribute(attribute, 8).map(found -> found.texts(9)).orElse(List.of());
  }

  /** An attribute, which must declare that type. */
  private Optional<WireMessage> attribute(String key, long type) {
    Optional<WireMessage> found = Optional.ofNullable(attributes.get(key));
    found.ifPresent(
        attribute -> require(attribute.number(20, 0) == type, key + " is of another type"));
    return found;
  }

  /** This node's error. */
  InputException refused(String what) {
    String clean = operator.replaceAll("[^\\x20-\\x7e]", "?");
    String shown = clean.length() > 60 ? clean.substring(0, 60) + "…" : clean;
    return GraphGuard.notAllowed(file, "has the operator '" + shown + "': " + what);
  }

  void require(boolean holds, String what) {
    if (!holds) {
      throw refused(what);
    }
  }
}
