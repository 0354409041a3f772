package dev.cotenant.features.operator.tensor;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;

/** The same elements in a different shape, and values computed from shapes alone. */
public final class ViewOperators {
  private ViewOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.view(ViewOperators::setSame), "Identity");
    table.add(Operator.view(ShapeRule.of(ViewOperators::setFlat)), "Flatten");
    table.add(Operator.view(ShapeRule.of(ViewOperators::setSqueezed)), "Squeeze");
    table.add(Operator.view(ViewOperators::setUnsqueezed), "Unsqueeze");
    table.add(Operator.view(ViewOperators::setExpanded), OperatorTable.MICROSOFT + "ExpandDims");
    table.add(
        Operator.movement(ShapeRule.of(ViewOperators::setShape)).runningAs(Kernel.NONE), "Shape");
    table.add(Operator.movement(ViewOperators::setSize).runningAs(Kernel.NONE), "Size");
  }

  private static void setSame(NodeView node) {
    TensorFact data = node.input(0);
    if (data != null) {
      node.set(0, data);
    }
  }

  /** Sets the first input under another shape. */
  static void setViewed(NodeView node, Shape shape) {
    TensorFact data = node.input(0);
    if (data != null) {
      node.set(0, data.withShape(shape));
    }
  }

  private static void setFlat(NodeView node, Shape data) {
    long axis = node.integer("axis", 1);
    int split = axis == data.rank() ? data.rank() : data.rank() == 0 ? 0 : data.axis(axis);
    setViewed(
        node,
        new Shape.Builder(2)
            .add(data.product(0, split), anyScales(data, 0, split))
            .add(data.product(split, data.rank()), anyScales(data, split, data.rank()))
            .build());
  }

  private static boolean anyScales(Shape shape, int from, int to) {
    for (int i = from; i < to; i++) {
      if (shape.scales(i)) {
        return true;
      }
    }
    return false;
  }

  private static void setSqueezed(NodeView node, Shape data) {
    if (node.has(1) && node.numbers(1) == null) {
      return;
    }
    KnownNumbers axes = node.attributeOrInput("axes", 1);
    boolean[] gone = new boolean[data.rank()];
    for (int i = 0; i < (axes == null ? data.rank() : axes.size()); i++) {
      int axis = data.axis(axes == null ? i : axes.integer(i));
      gone[axis] = axes != null || data.extent(axis) == 1;
    }
    Shape.Builder result = new Shape.Builder(data.rank());
    for (int i = 0; i < gone.length; i++) {
      if (!gone[i]) {
        result.addAll(data, i, i + 1);
      }
    }
    setViewed(node, result.build());
  }

  private static void setUnsqueezed(NodeView node) {
    KnownNumbers axes = node.attributeOrInput("axes", 1);
    if (axes != null) {
      addAxes(node, axes);
    }
  }

  private static void setExpanded(NodeView node) {
    KnownNumbers axis = node.single(1);
    if (axis != null) {
      addAxes(node, axis);
    }
  }

  private static void addAxes(NodeView node, KnownNumbers axes) {
    Shape data = node.shape(0);
    if (data == null) {
      return;
    }
    int rank = data.rank() + axes.size();
    boolean[] added = new boolean[rank];
    for (int i = 0; i < axes.size(); i++) {
      long axis = axes.integer(i) < 0 ? axes.integer(i) + rank : axes.integer(i);
      if (axis < 0 || axis >= rank || added[(int) axis]) {
        throw new ShapeMismatch("new axis " + axis + " of " + rank);
      }
      added[(int) axis] = true;
    }
    Shape.Builder result = new Shape.Builder(rank);
    int next = 0;
    for (boolean isNew : added) {
      if (isNew) {
        result.add(1, false);
      } else {
        result.addAll(data, next, ++next);
      }
    }
    setViewed(node, result.build());
  }

  private static void setShape(NodeView node, Shape data) {
    int from = clamp(node.integer("start", 0), data.rank());
    int to = Math.max(from, clamp(node.integer("end", data.rank()), data.rank()));
    double[] extents = new double[to - from];
    boolean[] scales = new boolean[to - from];
    for (int i = from; i < to; i++) {
      extents[i - from] = data.extent(i);
      scales[i - from] = data.scales(i);
    }
    boolean known = data.product(from, to) != Shape.UNKNOWN;
    Shape vector = Shape.of(to - from);
    KnownNumbers numbers = known ? KnownNumbers.of(extents, scales) : null;
    node.set(0, new TensorFact(ElementType.INT64, vector, numbers, true, null));
  }

  private static int clamp(long index, int rank) {
    return Math.clamp(index < 0 ? index + rank : index, 0, rank);
  }

  private static void setSize(NodeView node) {
    Shape data = node.shape(0);
    long elements = data == null ? Shape.UNKNOWN : data.elements();
    if (data != null && elements != Shape.UNKNOWN) {
      boolean[] scales = {data.scaling() != 0};
      KnownNumbers number = KnownNumbers.of(new double[] {elements}, scales);
      node.set(0, new TensorFact(ElementType.INT64, Shape.SCALAR, number, true, null));
    } else {
      node.set(0, TensorFact.of(ElementType.INT64, Shape.SCALAR));
    }
  }
}
