package dev.cotenant.zoo.onnx;

import java.util.List;

/** One operator of a graph with the names of what it reads and writes. */
public record NodeProto(
    String name,
    String operator,
    List<String> inputs,
    List<String> outputs,
    List<AttributeProto> attributes) {
  public NodeProto {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    attributes = List.copyOf(attributes);
  }
}
