package dev.cotenant.features.operator.layer;

import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.OperatorTable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Einstein summation. Every combination of all labels costs one multiply-accumulate for each
 * operand after the first; one operand alone only moves or sums and costs nothing.
 */
public final class EinsumOperator {
  private static final int MAX_LABELS = 64;

  private EinsumOperator() {}

  private record Axis(long extent, boolean scales) {}

  private record Equation(Map<String, Axis> axes, String output, int ellipsisRank) {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.product(EinsumOperator::setOutput, EinsumOperator::macs, 0, 1), "Einsum");
  }

  private static void setOutput(NodeView node) {
    Equation equation = equation(node);
    if (equation == null) {
      return;
    }
    Shape.Builder result = new Shape.Builder(4);
    String output = equation.output;
    for (int i = 0; i < output.length(); i++) {
      if (output.charAt(i) == '.') {
        i += 2;
        for (int j = equation.ellipsisRank; j > 0; j--) {
          add(result, equation, "." + j);
        }
      } else {
        add(result, equation, output.substring(i, i + 1));
      }
    }
    node.set(0, result.build());
  }

  private static void add(Shape.Builder result, Equation equation, String label) {
    Axis axis = equation.axes.get(label);
    if (axis == null) {
      throw new ShapeMismatch("label " + label + " of the result is on no operand");
    }
    result.add(axis.extent, axis.scales);
  }

  private static Amount macs(NodeView node) {
    Equation equation = equation(node);
    if (equation == null) {
      return Amount.UNKNOWN;
    }
    Shape.Builder all = new Shape.Builder(equation.axes.size());
    equation.axes.values().forEach(axis -> all.add(axis.extent, axis.scales));
    return Amount.elements(all.build()).times(node.inputCount() - 1);
  }

  private static @Nullable Equation equation(NodeView node) {
    String text = node.text("equation").replace(" ", "");
    int arrow = text.indexOf("->");
    String[] operands = (arrow < 0 ? text : text.substring(0, arrow)).split(",", -1);
    if (operands.length != node.inputCount()) {
      throw new ShapeMismatch("the equation names " + operands.length + " operands");
    }
    Map<String, Axis> axes = new LinkedHashMap<>();
    int ellipsisRank = 0;
    for (int i = 0; i < operands.length; i++) {
      Shape shape = node.shape(i);
      if (shape == null) {
        return null;
      }
      ellipsisRank = Math.max(ellipsisRank, addOperand(operands[i], shape, axes));
    }
    String output = arrow < 0 ? implicitOutput(operands) : text.substring(arrow + 2);
    return new Equation(axes, output, ellipsisRank);
  }

  /** Adds the labels of one operand; returns the rank that its ellipsis stands for. */
  private static int addOperand(String labels, Shape shape, Map<String, Axis> axes) {
    boolean hasEllipsis = labels.contains("...");
    int named = labels.length() - (hasEllipsis ? 3 : 0);
    int free = shape.rank() - named;
    if (free < 0 || (free > 0 && !hasEllipsis) || named > MAX_LABELS) {
      throw new ShapeMismatch("labels " + labels + " do not fit " + shape);
    }
    int axis = 0;
    for (int i = 0; i < labels.length(); i++) {
      if (labels.charAt(i) == '.') {
        i += 2;
        for (int j = free; j > 0; j--) {
          merge(axes, "." + j, shape, axis++);
        }
      } else {
        merge(axes, labels.substring(i, i + 1), shape, axis++);
      }
    }
    return hasEllipsis ? free : 0;
  }

  private static void merge(Map<String, Axis> axes, String label, Shape shape, int index) {
    axes.merge(
        label,
        new Axis(shape.extent(index), shape.scales(index)),
        (old, added) -> {
          boolean agree = old.extent == added.extent || old.extent <= 1 || added.extent <= 1;
          if (!agree) {
            throw new ShapeMismatch(
                "label " + label + " is " + old.extent + " and " + added.extent);
          }
          return new Axis(Math.max(old.extent, added.extent), old.scales || added.scales);
        });
  }

  /** Without an arrow the result has the labels that occur once, in order [numpy.einsum]. */
  private static String implicitOutput(String[] operands) {
    Map<String, Integer> counts = new TreeMap<>();
    String all = String.join("", operands);
    all.replace(".", "")
        .chars()
        .forEach(label -> counts.merge(Character.toString(label), 1, Integer::sum));
    String once =
        counts.entrySet().stream()
            .filter(entry -> entry.getValue() == 1)
            .map(Map.Entry::getKey)
            .collect(Collectors.joining());
    return (all.contains("...") ? "..." : "") + once;
  }
}
