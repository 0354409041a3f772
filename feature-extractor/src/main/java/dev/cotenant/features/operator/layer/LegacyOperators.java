package dev.cotenant.features.operator.layer;

import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.operator.OperatorTable;

/**
 * Operators that were experimental in {@code ai.onnx} up to opset 9 and that exporters of the time
 * wrote, and those that hold what only another engine understands.
 */
public final class LegacyOperators {
  private LegacyOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.arithmetic(node -> node.set(0, node.shape(0))), "Affine", "ImageScaler", "Scale");
    table.add(
        Operator.activation(node -> node.set(0, node.shape(0))),
        "ParametricSoftplus",
        "ScaledTanh");
    table.add(
        Operator.passThrough(),
        "org.pytorch.aten:ATen",
        OperatorTable.MICROSOFT + "EPContext",
        OperatorTable.MICROSOFT + "Snpe");
    table.add(
        Operator.reduction(LegacyOperators::setGradients), "ai.onnx.preview.training:Gradient");
  }

  /** The derivatives by the first inputs, each as large as that input. */
  private static void setGradients(NodeView node) {
    for (int i = 0; i < node.outputCount(); i++) {
      node.set(i, node.type(i), node.shape(i));
    }
  }
}
