package dev.cotenant.features.graph;

/**
 * A function that the model defines and its nodes call as if it were an operator.
 *
 * @param key domain, name and overload, as {@link Node#key} writes it
 * @param body its formal inputs, nodes and outputs
 * @param defaults attributes with a default value
 */
public record LocalFunction(String key, Graph body, Attributes defaults) {}
