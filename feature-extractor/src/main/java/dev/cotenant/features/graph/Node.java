package dev.cotenant.features.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One operator application.
 *
 * @param name name given by the exporter, often empty
 * @param domain operator domain; empty is {@code ai.onnx}
 * @param operator operator type, such as {@code Conv}
 * @param inputs value names; an empty one is an optional input left out
 * @param outputs value names; an empty one is not wanted
 * @param attributes attributes by name
 */
public record Node(
    String name,
    String domain,
    String operator,
    List<String> inputs,
    List<String> outputs,
    Map<String, Attribute> attributes) {
  public Node {
    domain = domain.equals("ai.onnx") ? "" : domain;
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    attributes = Map.copyOf(attributes);
  }

  /** How messages call it: its name, else its first output, and its operator. */
  public String label() {
    String known = !name.isEmpty() ? name : outputs.isEmpty() ? "" : outputs.getFirst();
    return known.isEmpty() ? operator : operator + " " + known;
  }

  /** Domain and operator, such as {@code com.microsoft:Attention} or {@code Conv}. */
  public String key() {
    return domain.isEmpty() ? operator : domain + ":" + operator;
  }

  /** Everything it reads: its inputs and what its subgraphs use from outside. */
  public List<String> reads() {
    List<String> all = null;
    for (Attribute attribute : attributes.values()) {
      Graph body = attribute.graph();
      if (body != null) {
        all = all == null ? new ArrayList<>(inputs) : all;
        all.addAll(body.captured());
      }
    }
    return all == null ? inputs : all;
  }
}
