package dev.cotenant.features;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.LocalFunction;
import java.util.List;
import java.util.Map;

/**
 * A model as read from its file: nodes, shapes and sizes, no weights. Immutable; read once, extract
 * at any batch size.
 */
public final class ModelGraph {
  private final String name;
  private final Graph graph;
  private final Map<String, LocalFunction> functions;
  private final List<String> externalLocations;
  private final long opset;

  ModelGraph(
      String name,
      Graph graph,
      Map<String, LocalFunction> functions,
      List<String> externalLocations,
      long opset) {
    this.name = name;
    this.graph = graph;
    this.functions = Map.copyOf(functions);
    this.externalLocations = externalLocations;
    this.opset = opset;
  }

  /** The file or upload it was read from, as messages call it. */
  public String name() {
    return name;
  }

  Graph graph() {
    return graph;
  }

  Map<String, LocalFunction> functions() {
    return functions;
  }

  /** Version of {@code ai.onnx} that the model is written in. */
  long opset() {
    return opset;
  }

  List<String> externalLocations() {
    return externalLocations;
  }
}
