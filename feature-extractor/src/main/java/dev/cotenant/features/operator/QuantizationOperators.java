package dev.cotenant.features.operator;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Shape;

/** To and from few bits. */
final class QuantizationOperators {
  private QuantizationOperators() {}

  static void addTo(OperatorTable table) {
    table.add(
        Operator.movement(QuantizationOperators::setQuantized).runningAs(Kernel.POINTWISE),
        "QuantizeLinear",
        MICROSOFT + "QuantizeLinear");
    table.add(
        Operator.movement(QuantizationOperators::setDequantized).runningAs(Kernel.POINTWISE),
        "DequantizeLinear",
        MICROSOFT + "DequantizeLinear");
    table.add(Operator.movement(QuantizationOperators::setDynamic), "DynamicQuantizeLinear");
  }

  private static void setQuantized(NodeView node) {
    boolean declared = node.integer("output_dtype", 0) != 0;
    ElementType fallback = node.has(2) ? node.type(2) : ElementType.UINT8;
    node.set(
        0, declared ? ElementType.of(node.integer("output_dtype", 0)) : fallback, node.shape(0));
  }

  private static void setDequantized(NodeView node) {
    node.set(0, node.has(1) ? node.type(1) : ElementType.FLOAT, node.shape(0));
  }

  private static void setDynamic(NodeView node) {
    node.set(0, ElementType.UINT8, node.shape(0));
    node.set(1, ElementType.FLOAT, Shape.SCALAR);
    node.set(2, ElementType.UINT8, Shape.SCALAR);
  }
}
