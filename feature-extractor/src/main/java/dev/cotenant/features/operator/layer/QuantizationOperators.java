package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** To and from few bits. */
public final class QuantizationOperators {
  private QuantizationOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.movement(QuantizationOperators::setQuantized).runningAs(Kernel.POINTWISE),
        "QuantizeLinear",
        MICROSOFT + "QuantizeLinear");
    table.add(
        Operator.movement(QuantizationOperators::setDequantized).runningAs(Kernel.POINTWISE),
        "DequantizeLinear",
        MICROSOFT + "DequantizeLinear");
    table.add(Operator.movement(QuantizationOperators::setDynamic), "DynamicQuantizeLinear");
    table.add(
        Operator.movement(node -> node.set(0, ElementType.INT8, node.shape(0))),
        MICROSOFT + "QuantizeWithOrder");
    table.add(
        Operator.movement(
            node -> node.set(0, ElementType.of(node.integer("to", 1)), node.shape(0))),
        MICROSOFT + "DequantizeWithOrder");
    table.add(Operator.movement(QuantizationOperators::setBoxed), MICROSOFT + "QuantizeBFP");
    table.add(Operator.movement(QuantizationOperators::setUnboxed), MICROSOFT + "DequantizeBFP");
  }

  /** Blocks of shared exponents, of as many bytes as the hardware wants, and what they were. */
  private static void setBoxed(NodeView node) {
    Shape data = node.shape(0);
    node.set(0, ElementType.UINT8, Shape.of(Shape.UNKNOWN));
    if (data != null) {
      Shape vector = Shape.of(data.rank());
      node.set(1, new TensorFact(ElementType.INT64, vector, extents(data), true, null));
      node.set(2, ElementType.INT64, vector);
    }
  }

  private static @Nullable KnownNumbers extents(Shape data) {
    if (!data.isKnown()) {
      return null;
    }
    double[] extents = Arrays.stream(data.extents()).asDoubleStream().toArray();
    boolean[] scales = new boolean[extents.length];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = data.scales(i);
    }
    return KnownNumbers.of(extents, scales);
  }

  private static void setUnboxed(NodeView node) {
    KnownNumbers extents = node.numbers(1);
    if (extents == null) {
      return;
    }
    Shape.Builder shape = new Shape.Builder(extents.size());
    for (int i = 0; i < extents.size(); i++) {
      shape.add(Math.max(0, extents.integer(i)), extents.scales(i));
    }
    node.set(0, ElementType.of(node.integer("dtype", 1)), shape.build());
  }

  private static void setQuantized(NodeView node) {
    boolean declared = node.integer("output_dtype", 0) != 0;
    ElementType fallback = node.has(2) ? node.type(2) : ElementType.UINT8;
    node.set(
        0, declared ? ElementType.of(node.integer("output_dtype", 0)) : fallback, node.shape(0));
  }

  private static void setDequantized(NodeView node) {
    boolean declared = node.integer("output_dtype", 0) != 0;
    ElementType fallback = node.has(1) ? node.type(1) : ElementType.FLOAT;
    node.set(
        0, declared ? ElementType.of(node.integer("output_dtype", 0)) : fallback, node.shape(0));
  }

  private static void setDynamic(NodeView node) {
    node.set(0, ElementType.UINT8, node.shape(0));
    node.set(1, ElementType.FLOAT, Shape.SCALAR);
    node.set(2, ElementType.UINT8, Shape.SCALAR);
  }
}
