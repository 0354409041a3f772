package dev.cotenant.benchmarks;

import dev.cotenant.zoo.onnx.ProtobufWriter;

/** A model of many small nodes, each reading the one before: ReLUs on a vector of 8. */
final class Chain {
  private static final int FLOAT = 1;
  private static final int OPSET = 17;

  private Chain() {}

  static byte[] ofNodes(int count) {
    ProtobufWriter graph = new ProtobufWriter();
    for (int i = 0; i < count; i++) {
      graph.message(
          1,
          new ProtobufWriter()
              .text(1, "value_" + i)
              .text(2, "value_" + (i + 1))
              .text(3, "node_" + i)
              .text(4, "Relu"));
    }
    graph.text(2, "chain").message(11, vector("value_0")).message(12, vector("value_" + count));
    return new ProtobufWriter()
        .integer(1, 8)
        .message(7, graph)
        .message(8, new ProtobufWriter().integer(2, OPSET))
        .toByteArray();
  }

  private static ProtobufWriter vector(String name) {
    ProtobufWriter shape = new ProtobufWriter();
    shape
        .message(1, new ProtobufWriter().integer(1, 1))
        .message(1, new ProtobufWriter().integer(1, 8));
    ProtobufWriter tensor = new ProtobufWriter().integer(1, FLOAT).message(2, shape);
    return new ProtobufWriter().text(1, name).message(2, new ProtobufWriter().message(1, tensor));
  }
}
