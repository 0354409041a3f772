package dev.cotenant.features.operator.tensor;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Choosing elements by their value; how many there are is known only where the values are. */
public final class SelectionOperators {
  private SelectionOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.movement(ShapeRule.of(SelectionOperators::setPositions)), "NonZero");
    table.add(Operator.movement(ShapeRule.of(SelectionOperators::setCompressed)), "Compress");
    table.add(Operator.movement(ShapeRule.of(SelectionOperators::setDistinct)), "Unique");
    table.add(
        Operator.movement(SelectionOperators::setDistinctInOrder),
        OperatorTable.MICROSOFT + "Unique");
    table.add(
        Operator.other(node -> node.set(0, ElementType.INT64, Shape.of(Shape.UNKNOWN, 3))),
        "NonMaxSuppression");
    table.add(Operator.movement(ShapeRule.of(SelectionOperators::setDrawn)), "Multinomial");
  }

  private static void setPositions(NodeView node, Shape data) {
    KnownNumbers known = node.numbers(0);
    if (known == null || known.anyScales() || data.scaling() != 0) {
      node.set(0, ElementType.INT64, Shape.of(data.rank(), Shape.UNKNOWN));
      return;
    }
    int[] chosen = new int[known.size()];
    int count = 0;
    for (int i = 0; i < known.size(); i++) {
      if (known.at(i) != 0) {
        chosen[count++] = i;
      }
    }
    Shape shape = Shape.of(data.rank(), count);
    KnownNumbers positions =
        shape.elements() > KnownNumbers.MAX_ELEMENTS
            ? null
            : positions(data, Arrays.copyOf(chosen, count));
    node.set(0, new TensorFact(ElementType.INT64, shape, positions, node.isConstant(), null));
  }

  /** Row {@code axis} holds the index of every chosen element on that axis. */
  private static KnownNumbers positions(Shape data, int[] chosen) {
    long[] strides = StridedIndices.rowMajor(data.extents());
    double[] positions = new double[data.rank() * chosen.length];
    for (int axis = 0; axis < data.rank(); axis++) {
      for (int i = 0; i < chosen.length; i++) {
        double index = (double) (chosen[i] / strides[axis] % data.extent(axis));
        positions[axis * chosen.length + i] = index;
      }
    }
    return KnownNumbers.of(positions);
  }

  private static void setCompressed(NodeView node, Shape data) {
    KnownNumbers condition = node.numbers(1);
    long selected = condition == null ? Shape.UNKNOWN : 0;
    for (int i = 0; condition != null && i < condition.size(); i++) {
      selected += condition.at(i) != 0 ? 1 : 0;
    }
    boolean along = node.hasAttribute("axis");
    node.set(
        0,
        along
            ? data.with(data.axis(node.integer("axis", 0)), selected, false)
            : Shape.of(selected));
  }

  private static void setDistinct(NodeView node, Shape data) {
    boolean along = node.hasAttribute("axis");
    int axis = along ? data.axis(node.integer("axis", 0)) : 0;
    long before = along ? data.extent(axis) : data.elements();
    KnownNumbers known = node.numbers(0);
    long count = Shape.UNKNOWN;
    if (known != null && known.size() > 0 && !known.anyScales() && data.scaling() == 0) {
      count = along ? slices(known, data, axis) : distinct(known);
    }
    node.set(0, along ? data.with(axis, count, false) : Shape.of(count));
    node.set(1, ElementType.INT64, Shape.of(count));
    node.set(2, ElementType.INT64, Shape.of(before));
    node.set(3, ElementType.INT64, Shape.of(count));
  }

  private static long distinct(KnownNumbers known) {
    double[] numbers = new double[known.size()];
    Arrays.setAll(numbers, known::at);
    return Arrays.stream(numbers).distinct().count();
  }

  /** Distinct slices along an axis. */
  private static long slices(KnownNumbers known, Shape data, int axis) {
    int extent = (int) data.extent(axis);
    int inner = (int) data.product(axis + 1, data.rank());
    Set<List<Double>> slices = new HashSet<>();
    for (int slice = 0; slice < extent; slice++) {
      List<Double> elements = new ArrayList<>();
      for (int i = 0; i < known.size(); i++) {
        if (i / inner % extent == slice) {
          elements.add(known.at(i));
        }
      }
      slices.add(elements);
    }
    return slices.size();
  }

  /** Values, the index of each input among them, and how often each occurs. */
  private static void setDistinctInOrder(NodeView node) {
    Shape data = node.shape(0);
    KnownNumbers known = node.numbers(0);
    long count = known == null || known.anyScales() ? Shape.UNKNOWN : distinct(known);
    node.set(0, Shape.of(count));
    node.set(1, ElementType.INT64, data);
    node.set(2, ElementType.INT64, Shape.of(count));
  }

  private static void setDrawn(NodeView node, Shape data) {
    long type = node.integer("dtype", ElementType.INT32.number());
    node.set(0, ElementType.of(type), data.with(1, node.integer("sample_size", 1), false));
  }
}
