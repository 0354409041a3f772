package dev.cotenant.engine.model;

import dev.cotenant.features.ModelGraph;

/**
 * A model graph with a name.
 *
 * @param name what workloads call it
 * @param sha256 digest of the file it was read from, 64 hexadecimal digits
 * @param source its graph
 */
public record RegisteredModel(String name, String sha256, GraphSource source)
    implements Registered {
  /** The parsed graph, which is read now where it is not in memory. */
  public ModelGraph graph() {
    return source.graph();
  }
}
