package dev.cotenant.zoo.onnx;

import java.util.List;

/** One operator of a graph with the names of its inputs and outputs. */
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
