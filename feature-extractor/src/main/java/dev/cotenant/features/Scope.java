package dev.cotenant.features;

import dev.cotenant.features.graph.Attributes;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.inference.TensorFact;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the values of one graph, by number. A subgraph starts with the facts that it captures
 * from the enclosing graph.
 */
final class Scope {
  private final Graph graph;
  private final Attributes callAttributes;
  private final int depth;
  private final @Nullable TensorFact[] facts;

  private Scope(Graph graph, Attributes callAttributes, int depth) {
    this.graph = graph;
    this.callAttributes = callAttributes;
    this.depth = depth;
    facts = new TensorFact[graph.valueCount()];
  }

  static Scope top(Graph graph) {
    return new Scope(graph, Attributes.NONE, 0);
  }

  /** The body of a branch or loop. */
  Scope inner(Graph body) {
    Scope inner = new Scope(body, callAttributes, depth + 1);
    for (int i = 0; i < body.capturedCount(); i++) {
      int value = body.captured(i);
      inner.facts[value] = find(graph.value(body.valueName(value)));
    }
    return inner;
  }

  /** The body of a function, which sees its arguments only. */
  Scope call(Graph body, Attributes attributes) {
    return new Scope(body, attributes, depth + 1);
  }

  void storeInitializers() {
    graph.initializers().forEach((value, tensor) -> put(value, TensorFact.of(tensor)));
  }

  int depth() {
    return depth;
  }

  Attributes callAttributes() {
    return callAttributes;
  }

  void put(int value, TensorFact fact) {
    if (value != InternedNames.NONE) {
      facts[value] = fact;
    }
  }

  @Nullable TensorFact find(int value) {
    return value == InternedNames.NONE ? null : facts[value];
  }

  /** What is known, perhaps nothing. */
  TensorFact get(int value) {
    TensorFact fact = find(value);
    return fact == null ? TensorFact.unknown(ElementType.UNDEFINED) : fact;
  }
}
