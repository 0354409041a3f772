package dev.cotenant.features.operator.layer;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.OperatorTable;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;

/** Reductions over axes, which older opsets hold in an attribute and newer ones in an input. */
public final class ReductionOperators {
  private ReductionOperators() {}

  public static void addTo(OperatorTable table) {
    addReduction(table, "ReduceProd", (a, b) -> a * b);
    addReduction(table, "ReduceSum", Double::sum);
    addReduction(table, "ReduceMax", Math::max);
    addReduction(table, "ReduceMin", Math::min);
    table.add(
        Operator.reduction(ReductionOperators::setReduced),
        "ReduceMean",
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSum",
        "ReduceLogSumExp",
        "ReduceSumSquare");
    table.add(
        Operator.reduction(ReductionOperators::setIntegerSum),
        OperatorTable.MICROSOFT + "ReduceSumInteger");
    table.add(
        Operator.reduction(ShapeRule.of(ReductionOperators::setQuantizedMean)),
        OperatorTable.MICROSOFT + "QLinearReduceMean");
    table.add(
        Operator.reduction(ShapeRule.of(ReductionOperators::setDistances)),
        OperatorTable.MICROSOFT + "CDist");
    table.add(Operator.reduction(ShapeRule.of(ReductionOperators::setDeterminants)), "Det");
    table.add(
        Operator.reduction(ShapeRule.of(ReductionOperators::setExtremum)), "ArgMax", "ArgMin");
    table.add(Operator.reduction(ShapeRule.of(ReductionOperators::setLargest)), "TopK");
  }

  private static void addReduction(OperatorTable table, String key, DoubleBinaryOperator function) {
    table.add(
        Operator.reduction(node -> {
          setReduced(node);
          reduceNumbers(node, function);
        }),
        key);
  }

  private static void setReduced(NodeView node) {
    Shape data = node.shape(0);
    if (data == null || (node.has(1) && node.numbers(1) == null)) {
      return;
    }
    KnownNumbers axes = node.attributeOrInput("axes", 1);
    boolean none = axes == null || axes.size() == 0;
    if (none && node.integer("noop_with_empty_axes", 0) != 0) {
      node.set(0, data);
      return;
    }
    node.set(0, reduced(data, none ? null : axes, node.integer("keepdims", 1) != 0));
  }

  private static void setIntegerSum(NodeView node) {
    setReduced(node);
    boolean signed = node.type(0) == ElementType.INT8;
    node.set(0, signed ? ElementType.INT32 : ElementType.UINT32, node.outputShape(0));
  }

  /** The inputs after the first are scales and zero points. */
  private static void setQuantizedMean(NodeView node, Shape data) {
    long[] axes = node.integers("axes");
    KnownNumbers given = axes == null || axes.length == 0 ? null : node.attributeOrInput("axes", 0);
    node.set(0, reduced(data, given, node.integer("keepdims", 1) != 0));
  }

  /** Between the rows of two matrices. */
  private static void setDistances(NodeView node, Shape left) {
    Shape right = node.shape(1);
    if (right != null) {
      node.set(0, left.only(0).append(right.only(0)));
    }
  }

  private static Shape reduced(Shape data, @Nullable KnownNumbers axes, boolean keeps) {
    boolean[] gone = new boolean[data.rank()];
    for (int i = 0; i < (axes == null ? data.rank() : axes.size()); i++) {
      gone[data.axis(axes == null ? i : axes.integer(i))] = true;
    }
    Shape.Builder result = new Shape.Builder(data.rank());
    for (int i = 0; i < gone.length; i++) {
      if (!gone[i]) {
        result.addAll(data, i, i + 1);
      } else if (keeps) {
        result.add(1, false);
      }
    }
    return result.build();
  }

  /** Only a whole vector is reduced to its number. */
  private static void reduceNumbers(NodeView node, DoubleBinaryOperator function) {
    KnownNumbers known = node.numbers(0);
    Shape result = node.outputShape(0);
    if (known == null || known.size() == 0 || result == null || result.elements() != 1) {
      return;
    }
    double total = known.at(0);
    for (int i = 1; i < known.size(); i++) {
      total = function.applyAsDouble(total, known.at(i));
    }
    KnownNumbers number = KnownNumbers.of(new double[] {total}, new boolean[] {known.anyScales()});
    node.setNumbers(0, node.type(0), result, number);
  }

  private static void setDeterminants(NodeView node, Shape data) {
    node.set(0, reduced(data, KnownNumbers.of(-2, -1), false));
  }

  private static void setExtremum(NodeView node, Shape data) {
    KnownNumbers axis = KnownNumbers.of((double) node.integer("axis", 0));
    node.set(0, ElementType.INT64, reduced(data, axis, node.integer("keepdims", 1) != 0));
  }

  private static void setLargest(NodeView node, Shape data) {
    KnownNumbers given = node.single(1);
    long count = given != null ? given.integer(0) : node.integer("k", Shape.UNKNOWN);
    boolean scales = given != null && given.scales(0);
    Shape result = data.with((int) node.integer("axis", -1), count, scales);
    node.set(0, result);
    node.set(1, ElementType.INT64, result);
  }
}
