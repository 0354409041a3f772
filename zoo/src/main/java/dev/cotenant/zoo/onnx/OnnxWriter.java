package dev.cotenant.zoo.onnx;

import java.util.List;

/**
 * Writes the messages of {@code onnx.proto} (IR version 8, opset 17) that zoo graphs are made of.
 *
 * <p>Weights are initializers whose elements lie in a file that is not written: location {@code
 * weights.bin}, with offset and length as the PyTorch exporter gives them.
 */
public final class OnnxWriter {
  public static final int IR_VERSION = 8;
  public static final int OPSET = 17;
  public static final String WEIGHTS_FILE = "weights.bin";
  public static final String BATCH = "batch";

  private static final int EXTERNAL = 1;

  private final ProtobufWriter nodes = new ProtobufWriter();
  private final ProtobufWriter initializers = new ProtobufWriter();
  private final ProtobufWriter inputs = new ProtobufWriter();
  private final ProtobufWriter outputs = new ProtobufWriter();
  private long weightBytes;

  public void node(NodeProto node) {
    ProtobufWriter message = new ProtobufWriter();
    node.inputs().forEach(input -> message.text(1, input));
    node.outputs().forEach(output -> message.text(2, output));
    message.text(3, node.name()).text(4, node.operator());
    node.attributes().forEach(attribute -> message.message(5, attribute(attribute)));
    nodes.message(1, message);
  }

  /** A float initializer whose elements are elsewhere. */
  public void weight(String name, List<Integer> dims) {
    long length = Float.BYTES;
    for (int dim : dims) {
      length = Math.multiplyExact(length, dim);
    }
    ProtobufWriter message = new ProtobufWriter();
    dims.forEach(dim -> message.integer(1, dim));
    message.integer(2, DataType.FLOAT.code()).text(8, name);
    message.message(13, entry("location", WEIGHTS_FILE));
    message.message(13, entry("offset", Long.toString(weightBytes)));
    message.message(13, entry("length", Long.toString(length)));
    message.integer(14, EXTERNAL);
    initializers.message(5, message);
    weightBytes = Math.addExact(weightBytes, length);
  }

  public void input(Tensor tensor, DataType type) {
    inputs.message(11, valueInfo(tensor, type));
  }

  public void output(Tensor tensor) {
    outputs.message(12, valueInfo(tensor, DataType.FLOAT));
  }

  public byte[] model(String graphName) {
    ProtobufWriter graph = new ProtobufWriter();
    graph.raw(nodes).text(2, graphName).raw(initializers).raw(inputs).raw(outputs);
    return new ProtobufWriter()
        .integer(1, IR_VERSION)
        .text(2, "cotenant")
        .message(7, graph)
        .message(8, new ProtobufWriter().integer(2, OPSET))
        .toByteArray();
  }

  private static ProtobufWriter entry(String key, String value) {
    return new ProtobufWriter().text(1, key).text(2, value);
  }

  private static ProtobufWriter valueInfo(Tensor tensor, DataType type) {
    ProtobufWriter shape = new ProtobufWriter();
    shape.message(1, new ProtobufWriter().text(2, BATCH));
    tensor.dims().forEach(dim -> shape.message(1, new ProtobufWriter().integer(1, dim)));
    ProtobufWriter tensorType = new ProtobufWriter().integer(1, type.code()).message(2, shape);
    return new ProtobufWriter()
        .text(1, tensor.name())
        .message(2, new ProtobufWriter().message(1, tensorType));
  }

  private static ProtobufWriter attribute(AttributeProto attribute) {
    ProtobufWriter message = new ProtobufWriter().text(1, attribute.name());
    return switch (attribute) {
      case AttributeProto.Floating(_, float value) -> message.floating(2, value).integer(20, 1);
      case AttributeProto.Whole(_, long value) -> message.integer(3, value).integer(20, 2);
      case AttributeProto.Text(_, String value) -> message.text(4, value).integer(20, 3);
      case AttributeProto.Constant(_, TensorData value) ->
          message.message(5, tensor(value)).integer(20, 4);
      case AttributeProto.Wholes(_, List<Long> values) -> {
        values.forEach(value -> message.integer(8, value));
        yield message.integer(20, 7);
      }
    };
  }

  private static ProtobufWriter tensor(TensorData data) {
    ProtobufWriter message = new ProtobufWriter();
    data.dims().forEach(dim -> message.integer(1, dim));
    return message.integer(2, data.type().code()).bytes(9, data.toByteArray());
  }
}
