package dev.cotenant.features.graph;

import java.util.List;
import java.util.Map;

/**
 * A function that the model defines and its nodes call as if it were an operator.
 *
 * @param key domain and name, as {@link Node#key} writes it
 * @param inputs formal inputs
 * @param body its nodes and outputs
 * @param defaults attributes with a default value, by name
 */
public record LocalFunction(
    String key, List<String> inputs, Graph body, Map<String, Attribute> defaults) {
  public LocalFunction {
    inputs = List.copyOf(inputs);
    defaults = Map.copyOf(defaults);
  }
}
