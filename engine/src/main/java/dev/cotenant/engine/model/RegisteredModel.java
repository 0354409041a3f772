package dev.cotenant.engine.model;

import dev.cotenant.features.ModelGraph;

/**
 * A model graph with a name.
 *
 * @param name what workloads call it
 * @param sha256 digest of the file it was read from, 64 hexadecimal digits
 * @param graph the parsed graph
 */
public record RegisteredModel(String name, String sha256, ModelGraph graph) implements Registered {}
