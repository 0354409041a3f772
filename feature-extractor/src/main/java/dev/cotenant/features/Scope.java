package dev.cotenant.features;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.inference.TensorFact;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is known of the values of one graph; a subgraph sees those of the graph around it. */
final class Scope {
  private final @Nullable Scope outer;
  private final Map<String, Attribute> callAttributes;
  private final int depth;
  private final Map<String, TensorFact> facts = new HashMap<>();

  private Scope(@Nullable Scope outer, Map<String, Attribute> callAttributes, int depth) {
    this.outer = outer;
    this.callAttributes = callAttributes;
    this.depth = depth;
  }

  static Scope top() {
    return new Scope(null, Map.of(), 0);
  }

  /** The body of a branch or loop. */
  Scope inner() {
    return new Scope(this, callAttributes, depth + 1);
  }

  /** The body of a function, which sees its arguments only. */
  Scope call(Map<String, Attribute> attributes) {
    return new Scope(null, attributes, depth + 1);
  }

  void storeInitializers(Graph graph) {
    graph.initializers().forEach((name, tensor) -> facts.put(name, TensorFact.of(tensor)));
  }

  int depth() {
    return depth;
  }

  Map<String, Attribute> callAttributes() {
    return callAttributes;
  }

  void put(String name, TensorFact fact) {
    facts.put(name, fact);
  }

  @Nullable TensorFact find(String name) {
    for (Scope scope = this; scope != null; scope = scope.outer) {
      TensorFact fact = scope.facts.get(name);
      if (fact != null) {
        return fact;
      }
    }
    return null;
  }

  /** What is known, perhaps nothing. */
  TensorFact get(String name) {
    TensorFact fact = find(name);
    return fact == null ? TensorFact.unknown(ElementType.UNDEFINED) : fact;
  }
}
