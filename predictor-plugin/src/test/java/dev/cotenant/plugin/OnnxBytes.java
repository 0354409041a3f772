package dev.cotenant.plugin;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A protobuf message in wire format, and the few ONNX messages that small regressors are. */
final class OnnxBytes {
  private static final int FLOAT = 1;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  OnnxBytes integer(int field, long value) {
    varint((long) field << 3);
    varint(value);
    return this;
  }

  OnnxBytes floating(int field, float value) {
    varint(((long) field << 3) | 5);
    int bits = Float.floatToRawIntBits(value);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.write(bits >>> shift);
    }
    return this;
  }

  OnnxBytes text(int field, String value) {
    return raw(field, value.getBytes(StandardCharsets.UTF_8));
  }

  OnnxBytes message(int field, OnnxBytes value) {
    return raw(field, value.toByteArray());
  }

  OnnxBytes raw(int field, byte[] value) {
    varint(((long) field << 3) | 2);
    varint(value.length);
    bytes.writeBytes(value);
    return this;
  }

  /** A tag, or any other varint. */
  OnnxBytes tag(long value) {
    varint(value);
    return this;
  }

  byte[] toByteArray() {
    return bytes.toByteArray();
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes.write((int) ((rest & 0x7F) | 0x80));
      rest >>>= 7;
    }
    bytes.write((int) rest);
  }

  /** A model of IR version 8 with opset 17 and version 3 of {@code ai.onnx.ml}. */
  static OnnxBytes model(OnnxBytes graph) {
    return new OnnxBytes()
        .integer(1, 8)
        .message(8, new OnnxBytes().text(1, "").integer(2, 17))
        .message(8, new OnnxBytes().text(1, "ai.onnx.ml").integer(2, 3))
        .message(7, graph);
  }

  static OnnxBytes graph() {
    return new OnnxBytes().text(2, "g");
  }

  /** A float tensor; a dimension of −1 is symbolic. */
  static OnnxBytes value(String name, long... shape) {
    return value(FLOAT, name, shape);
  }

  static OnnxBytes value(int type, String name, long... shape) {
    OnnxBytes dims = new OnnxBytes();
    for (long dim : shape) {
      OnnxBytes one = new OnnxBytes();
      dims.message(1, dim < 0 ? one.text(2, "n") : one.integer(1, dim));
    }
    OnnxBytes tensor = new OnnxBytes().integer(1, type).message(2, dims);
    return new OnnxBytes().text(1, name).message(2, new OnnxBytes().message(1, tensor));
  }

  static OnnxBytes node(String operator, String domain, String input, String output) {
    return new OnnxBytes().text(1, input).text(2, output).text(4, operator).text(7, domain);
  }

  static OnnxBytes floats(String name, float... values) {
    OnnxBytes attribute = new OnnxBytes().text(1, name).integer(20, 6);
    for (float value : values) {
      attribute.floating(7, value);
    }
    return attribute;
  }

  static OnnxBytes integers(String name, long... values) {
    OnnxBytes attribute = new OnnxBytes().text(1, name).integer(20, 7);
    for (long value : values) {
      attribute.integer(8, value);
    }
    return attribute;
  }

  static OnnxBytes texts(String name, String... values) {
    OnnxBytes attribute = new OnnxBytes().text(1, name).integer(20, 8);
    for (String value : values) {
      attribute.text(9, value);
    }
    return attribute;
  }

  /** {@code y = intercept + Σ coefficient · x}. */
  static OnnxBytes linear(float intercept, float... coefficients) {
    OnnxBytes node =
        node("LinearRegressor", "ai.onnx.ml", "x", "y")
            .message(5, floats("coefficients", coefficients))
            .message(5, floats("intercepts", intercept));
    return model(
        graph()
            .message(1, node)
            .message(11, value("x", -1, coefficients.length))
            .message(12, value("y", -1, 1)));
  }

  /** One tree: the first of two inputs at most {@code threshold} answers low, else high. */
  static OnnxBytes stump(float threshold, float low, float high) {
    OnnxBytes node =
        node("TreeEnsembleRegressor", "ai.onnx.ml", "x", "y")
            .message(5, integers("nodes_treeids", 0, 0, 0))
            .message(5, integers("nodes_nodeids", 0, 1, 2))
            .message(5, integers("nodes_featureids", 0, 0, 0))
            .message(5, texts("nodes_modes", "BRANCH_LEQ", "LEAF", "LEAF"))
            .message(5, floats("nodes_values", threshold, 0, 0))
            .message(5, integers("nodes_truenodeids", 1, 0, 0))
            .message(5, integers("nodes_falsenodeids", 2, 0, 0))
            .message(5, integers("target_treeids", 0, 0))
            .message(5, integers("target_nodeids", 1, 2))
            .message(5, integers("target_ids", 0, 0))
            .message(5, floats("target_weights", low, high))
            .message(5, new OnnxBytes().text(1, "n_targets").integer(3, 1).integer(20, 2));
    return model(
        graph().message(1, node).message(11, value("x", -1, 2)).message(12, value("y", -1, 1)));
  }

  /** One operator of one input and output. */
  static OnnxBytes unary(String operator, String domain) {
    return model(
        graph()
            .message(1, node(operator, domain, "x", "y"))
            .message(11, value("x", 1, 1))
            .message(12, value("y", 1, 1)));
  }
}
