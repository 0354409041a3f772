package dev.cotenant.features.operator.tensor;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tensors put together along an axis. */
public final class JoinOperators {
  private JoinOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.movement(node -> setJoined(node, 0, 1)), "Concat");
    table.add(Operator.movement(node -> setJoined(node, 2, 3)), MICROSOFT + "QLinearConcat");
  }

  /** Quantised tensors come with scale and zero point, after those of the result. */
  private static void setJoined(NodeView node, int first, int step) {
    List<TensorFact> parts = new ArrayList<>();
    for (int i = first; i < node.inputCount(); i += step) {
      TensorFact part = node.input(i);
      if (part == null) {
        return;
      }
      parts.add(part);
    }
    TensorFact joined = joined(parts, node.integer("axis", 1));
    if (joined != null) {
      boolean constant = node.isConstant() || joined.numbers() != null;
      node.set(0, joined.asConstant(constant));
    }
  }

  /** The parts end to end; null where the rank of one is not known. */
  static @Nullable TensorFact joined(List<TensorFact> parts, long wantedAxis) {
    Shape first = parts.isEmpty() ? null : parts.getFirst().shape();
    if (first == null) {
      return null;
    }
    int axis = first.axis(wantedAxis);
    long total = 0;
    boolean scales = false;
    Shape result = first;
    for (TensorFact part : parts) {
      Shape shape = part.shape();
      if (shape == null) {
        return null;
      }
      if (shape.rank() != first.rank()) {
        throw new ShapeMismatch(first + " and " + shape + " do not join");
      }
      total = Extents.plus(total, shape.extent(axis));
      scales |= shape.scales(axis);
      result = Shape.of(result.extents(), result.scaling() | shape.scaling());
    }
    Shape whole = result.with(axis, total, scales);
    boolean few = first.rank() == 1 && total >= 0 && total <= KnownNumbers.MAX_ELEMENTS;
    KnownNumbers numbers = few ? numbers(parts) : null;
    return numbers == null
        ? TensorFact.of(parts.getFirst().type(), whole)
        : new TensorFact(parts.getFirst().type(), Shape.of(numbers.size()), numbers, false, null);
  }

  private static @Nullable KnownNumbers numbers(List<TensorFact> parts) {
    List<KnownNumbers> all = new ArrayList<>();
    for (TensorFact part : parts) {
      KnownNumbers numbers = part.numbers();
      if (numbers == null) {
        return null;
      }
      all.add(numbers);
    }
    return KnownNumbers.join(all);
  }
}
