package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;

/** Activations: the output is as the first input. */
public final class ActivationOperators {
  private static final LayerCounts NONE = new LayerCounts(0, 0, 0, 0);
  private static final LayerCounts ONE = new LayerCounts(0, 0, 1, 0);

  private ActivationOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.activation(node -> {
          node.set(0, node.shape(0));
          ElementwiseOperators.mapNumbers(node, node.numbers(0), x -> Math.max(x, 0));
        }),
        "Relu");
    table.add(
        Operator.activation(node -> node.set(0, node.shape(0))),
        "LeakyRelu",
        "PRelu",
        "ThresholdedRelu",
        "Elu",
        "Selu",
        "Celu",
        "Gelu",
        "Erf",
        "Sigmoid",
        "HardSigmoid",
        "HardSwish",
        "Swish",
        "Mish",
        "Tanh",
        "Softplus",
        "Softsign",
        "Shrink");
    table.add(
        Operator.activation(node -> node.set(0, node.shape(0))),
        MICROSOFT + "Gelu",
        MICROSOFT + "FastGelu",
        MICROSOFT + "BiasGelu",
        MICROSOFT + "QuickGelu",
        MICROSOFT + "QLinearSigmoid",
        MICROSOFT + "QLinearLeakyRelu",
        MICROSOFT + "QOrderedGelu");
    table.add(
        Operator.activation(node -> node.set(0, node.shape(0))).runningAs(Kernel.CLOSED),
        "Softmax",
        "LogSoftmax",
        "Hardmax",
        MICROSOFT + "BiasSoftmax",
        MICROSOFT + "QLinearSoftmax");
    table.add(
        Operator.activation(ShapeRule.of(ActivationOperators::setSplit)).runningAs(Kernel.CLOSED),
        MICROSOFT + "BiasSplitGelu");
    table.add(
        Operator.layer(ActivationOperators::setClipped, ONE)
            .countingLayers(node -> isBoundedRelu(node) ? ONE : NONE)
            .runningAs(Kernel.POINTWISE),
        "Clip");
  }

  /** Half of the features gate the others. */
  private static void setSplit(NodeView node, Shape data) {
    node.set(0, data.with(-1, Extents.over(data.extent(-1), 2), false));
  }

  private static void setClipped(NodeView node) {
    KnownNumbers known = node.numbers(0);
    if (known == null) {
      node.set(0, node.shape(0));
      return;
    }
    double low = bound(node, "min", 1, Double.NEGATIVE_INFINITY);
    double high = bound(node, "max", 2, Double.POSITIVE_INFINITY);
    node.set(0, node.shape(0));
    ElementwiseOperators.mapNumbers(node, known, x -> Math.min(Math.max(x, low), high));
  }

  /** ReLU6 and its kin are exported as a clip from 0 to a finite number. */
  private static boolean isBoundedRelu(NodeView node) {
    double low = bound(node, "min", 1, Double.NaN);
    double high = bound(node, "max", 2, Double.NaN);
    return low == 0 && high > 0 && high < Float.MAX_VALUE;
  }

  private static double bound(NodeView node, String name, int input, double fallback) {
    if (node.hasAttribute(name)) {
      return node.number(name, fallback);
    }
    KnownNumbers given = node.numbers(input);
    return given == null || given.size() != 1 ? fallback : given.at(0);
  }
}
