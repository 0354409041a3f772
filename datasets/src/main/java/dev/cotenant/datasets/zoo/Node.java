package dev.cotenant.datasets.zoo;

import java.util.List;

/** One operator of a graph with the names of what it reads and writes. */
record Node(
    String name,
    String operator,
    List<String> inputs,
    List<String> outputs,
    List<Attribute> attributes) {
  Node {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    attributes = List.copyOf(attributes);
  }
}
