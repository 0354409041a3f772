package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import dev.cotenant.plugin.WireMessage.Kind;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Refuses, before ONNX Runtime reads a byte, every graph whose memory its file does not bound. Each
 * tensor has one row, {@code [1, width]}: {@link RowOperator} computes each width from those of the
 * operands. Field numbers are those of the ONNX repository's {@code onnx/onnx.proto}.
 */
final class GraphGuard {
  /** Of a row; 256 rows of doubles are 8 MiB. */
  static final int MAX_WIDTH = 4096;

  private static final int MAX_NODES = 256;
  private static final int FLOAT = 1;
  private static final int DOUBLE = 11;

  /**
   * A tensor of the graph.
   *
   * @param rows its extents but the last, multiplied; 1 of all but weights
   * @param width its last extent
   * @param isConstant whether it is an initializer
   */
  record Tensor(long rows, long width, boolean isConstant) {
    static Tensor row(long width) {
      return new Tensor(1, width, false);
    }
  }

  private final String name;
  private final Map<String, Tensor> tensors = new HashMap<>();

  private GraphGuard(String name) {
    this.name = name;
  }

  /**
   * Passes a model or names what is wrong with it.
   *
   * @param name of the file, for messages
   * @param columns of its input
   * @throws InputException ({@code not-onnx}, {@code regressor-not-allowed})
   */
  static void check(byte[] model, String name, int columns) {
    new GraphGuard(name).check(ByteBuffer.wrap(model), columns);
  }

  private void check(ByteBuffer model, int columns) {
    for (var graph : WireMessage.parse(Kind.MODEL, model, name).messages(7, Kind.GRAPH)) {
      for (WireMessage initializer : graph.messages(5, Kind.TENSOR)) {
        define(initializer.text(8), constant(initializer));
      }
      for (WireMessage input : graph.messages(11, Kind.VALUE)) {
        define(input.text(1), Tensor.row(columns));
      }
      if (graph.count(1) > MAX_NODES) {
        throw notAllowed(name, "has more than " + MAX_NODES + " nodes");
      }
      graph.messages(1, Kind.NODE).forEach(this::node);
    }
  }

  private void define(String tensor, Tensor as) {
    if (tensor.isEmpty() || tensors.put(tensor, as) != null) {
      throw notAllowed(name, "defines a tensor twice or without a name");
    }
  }

  private Tensor constant(WireMessage tensor) {
    long type = tensor.number(2, 0);
    if (tensor.number(14, 0) != 0) {
      throw notAllowed(name, "keeps data in other files");
    }
    if (type != FLOAT && type != DOUBLE) {
      throw notAllowed(name, "has an initializer of neither floats nor doubles");
    }
    long size = type == FLOAT ? Float.BYTES : Double.BYTES;
    long[] extents = tensor.numbers(1);
    long rows = 1;
    long width = 1;
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] < 1 || extents[i] > ModelFile.MAX_MODEL_BYTES || i > 1) {
        throw notAllowed(name, "has an initializer of a rank above 2, empty or too large");
      }
      rows *= width;
      width = extents[i];
    }
    if (rows * width * size != tensor.size(type == FLOAT ? 4 : 10) + tensor.size(9)) {
      throw notAllowed(name, "has an initializer whose data does not fill its shape");
    }
    return new Tensor(rows, width, true);
  }

  private void node(WireMessage message) {
    Node node = Node.of(message, name);
    List<Tensor> operands = node.inputs().stream().map(this::operand).toList();
    long width = RowOperator.require(node).width(node, operands);
    if (width < 1 || width > MAX_WIDTH) {
      throw node.refused("its result is wider than " + MAX_WIDTH);
    }
    define(node.output(), Tensor.row(width));
  }

  private Tensor operand(String tensor) {
    Tensor found = tensors.get(tensor);
    if (found == null) {
      throw notAllowed(name, "has an operand that no earlier node defines");
    }
    return found;
  }

  static InputException notAllowed(String name, String what) {
    return InputException.malformed(
        "regressor-not-allowed",
        name + ": " + what + "; docs/regressors.md lists the allowed graphs.");
  }
}
