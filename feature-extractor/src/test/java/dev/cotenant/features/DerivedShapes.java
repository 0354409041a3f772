package dev.cotenant.features;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.inference.Shape;
import java.util.LinkedHashMap;
import java.util.Map;

/** The shapes that are derived for the values of a graph, by name. */
final class DerivedShapes {
  private DerivedShapes() {}

  static Map<String, Shape> of(ModelGraph model, Map<String, Integer> dimensions) {
    Graph graph = model.graph();
    GraphWarnings warnings = new GraphWarnings();
    InputBinding binding = new InputBinding(graph, new GraphBinding(null, dimensions), warnings);
    Scope scope = Scope.top(graph);
    binding.bindTo(scope);
    new GraphWalk(new Extraction(model, binding, warnings), graph, scope).run();
    Map<String, Shape> shapes = new LinkedHashMap<>();
    for (int value = 0; value < graph.valueCount(); value++) {
      Shape shape = scope.get(value).shape();
      if (shape != null) {
        shapes.put(graph.valueName(value), shape);
      }
    }
    return shapes;
  }
}
