package dev.cotenant.features.operator;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions. The weight has the shape (outputs, inputs / groups, kernel…), so one output element
 * costs the product of its axes from the second on; transposed, (inputs, outputs / groups,
 * kernel…), it is one input element that costs it.
 */
final class ConvolutionOperators {
  private ConvolutionOperators() {}

  static void addTo(OperatorTable table) {
    table.add(convolution(1), "Conv", "DeformConv", MICROSOFT + "FusedConv");
    table.add(convolution(3), "QLinearConv", MICROSOFT + "QLinearConv");
    table.add(
        Operator.convolution(
            node -> setConvolved(node, 1, ElementType.INT32), node -> macs(node, 1)),
        "ConvInteger",
        MICROSOFT + "ConvInteger");
    table.add(
        Operator.convolution(
            ConvolutionOperators::setTransposed, ConvolutionOperators::transposedMacs),
        "ConvTranspose");
  }

  private static Operator convolution(int weight) {
    return Operator.convolution(
        node -> setConvolved(node, weight, node.type(0)), node -> macs(node, weight));
  }

  private static void setConvolved(NodeView node, int weight, ElementType type) {
    Shape data = node.shape(0);
    Shape kernel = node.shape(weight);
    if (data == null || kernel == null) {
      return;
    }
    requireGroups(node, data, kernel);
    int spatial = data.rank() - 2;
    Windows windows = new Windows(node, spatial);
    Shape.Builder result = new Shape.Builder(data.rank());
    result.addAll(data, 0, 1).add(kernel.extent(0), false);
    for (int i = 0; i < spatial; i++) {
      result.add(
          windows.positions(i, data.extent(i + 2), kernel.extent(i + 2)), data.scales(i + 2));
    }
    node.set(0, type, result.build());
  }

  private static void requireGroups(NodeView node, Shape data, Shape kernel) {
    long groups = node.integer("group", 1);
    boolean sameRank = data.rank() == kernel.rank() && data.rank() >= 2;
    if (!sameRank || groups < 1) {
      throw new ShapeMismatch(
          "a kernel of " + kernel + " in " + groups + " groups does not fit " + data);
    }
  }

  private static Amount macs(NodeView node, int weight) {
    return perElement(node.outputShape(0), node.shape(weight));
  }

  private static Amount transposedMacs(NodeView node) {
    return perElement(node.shape(0), node.shape(1));
  }

  private static Amount perElement(@Nullable Shape elements, @Nullable Shape kernel) {
    return kernel == null
        ? Amount.UNKNOWN
        : Amount.elements(elements).times(Amount.elements(kernel, 1, kernel.rank()));
  }

  private static void setTransposed(NodeView node) {
    Shape data = node.shape(0);
    Shape kernel = node.shape(1);
    if (data == null || kernel == null) {
      return;
    }
    requireGroups(node, data, kernel);
    int spatial = data.rank() - 2;
    Windows windows = new Windows(node, spatial);
    Shape.Builder result = new Shape.Builder(data.rank());
    long channels =
        kernel.extent(1) == Shape.UNKNOWN
            ? Shape.UNKNOWN
            : Saturating.multiply(kernel.extent(1), node.integer("group", 1));
    result.addAll(data, 0, 1).add(channels, false);
    for (int i = 0; i < spatial; i++) {
      result.add(
          windows.transposed(i, data.extent(i + 2), kernel.extent(i + 2)), data.scales(i + 2));
    }
    node.set(0, result.build());
  }
}
