package dev.cotenant.features.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A graph, or the body of a branch, loop or function; its nodes lie in a runnable order. */
public final class Graph {
  private final String name;
  private final List<Node> nodes;
  private final List<Node> unreachable;
  private final Map<String, StoredTensor> initializers;
  private final List<ValueDeclaration> inputs;
  private final List<String> outputs;
  private final Map<String, ValueDeclaration> declarations;
  private final Set<String> captured;
  private final List<String> duplicates;

  private Graph(Builder builder) {
    name = builder.name;
    Map<String, Integer> producers = new HashMap<>();
    Set<String> doubled = new LinkedHashSet<>();
    for (int i = 0; i < builder.nodes.size(); i++) {
      for (String output : builder.nodes.get(i).outputs()) {
        if (!output.isEmpty() && producers.putIfAbsent(output, i) != null) {
          doubled.add(output);
        }
      }
    }
    duplicates = List.copyOf(doubled);
    TopologicalOrder order = TopologicalOrder.of(builder.nodes, producers);
    nodes = order.runnable();
    unreachable = order.cyclic();
    initializers = builder.initializers;
    inputs = List.copyOf(builder.inputs);
    outputs = builder.outputs.stream().map(ValueDeclaration::name).toList();
    declarations = builder.declarations;
    builder.outputs.forEach(output -> declarations.putIfAbsent(output.name(), output));
    captured = captures(producers.keySet());
  }

  private Set<String> captures(Set<String> produced) {
    Set<String> own = new HashSet<>(produced);
    own.addAll(initializers.keySet());
    inputs.forEach(input -> own.add(input.name()));
    Set<String> outer = new LinkedHashSet<>();
    for (Node node : nodes) {
      addUnless(own, node.reads(), outer);
    }
    addUnless(own, outputs, outer);
    return outer;
  }

  private static void addUnless(Set<String> own, List<String> names, Set<String> outer) {
    for (String each : names) {
      if (!each.isEmpty() && !own.contains(each)) {
        outer.add(each);
      }
    }
  }

  public String name() {
    return name;
  }

  /** Nodes in a runnable order: the file's where that is one. */
  public List<Node> nodes() {
    return nodes;
  }

  /** Nodes on a cycle or behind one, which cannot run. */
  public List<Node> unreachable() {
    return unreachable;
  }

  public Map<String, StoredTensor> initializers() {
    return initializers;
  }

  /** Declared inputs; old models list their initializers here too. */
  public List<ValueDeclaration> inputs() {
    return inputs;
  }

  public List<String> outputs() {
    return outputs;
  }

  /** What is declared about an inner value or output, if anything. */
  public @Nullable ValueDeclaration declaration(String value) {
    return declarations.get(value);
  }

  /** Names used from the enclosing graph. */
  public Set<String> captured() {
    return captured;
  }

  /** Values that more than one node claims to produce; the first one counts. */
  public List<String> duplicates() {
    return duplicates;
  }

  /** Collects the parts of a graph. Not thread safe. */
  public static final class Builder {
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, StoredTensor> initializers = new LinkedHashMap<>();
    private final List<ValueDeclaration> inputs = new ArrayList<>();
    private final List<ValueDeclaration> outputs = new ArrayList<>();
    private final Map<String, ValueDeclaration> declarations = new HashMap<>();
    private String name = "";

    public Builder name(String given) {
      name = given;
      return this;
    }

    public Builder node(Node node) {
      nodes.add(node);
      return this;
    }

    public Builder initializer(StoredTensor tensor) {
      initializers.put(tensor.name(), tensor);
      return this;
    }

    public Builder input(ValueDeclaration value) {
      inputs.add(value);
      return this;
    }

    public Builder output(ValueDeclaration value) {
      outputs.add(value);
      return this;
    }

    public Builder declaration(ValueDeclaration value) {
      declarations.put(value.name(), value);
      return this;
    }

    public Graph build() {
      return new Graph(this);
    }
  }
}
