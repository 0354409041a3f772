package dev.cotenant.features.operator.tensor;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.SequenceFact;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sequences of tensors, whose elements are followed, and optional values. */
public final class SequenceOperators {
  private SequenceOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.movement(SequenceOperators::setEmpty), "SequenceEmpty");
    table.add(Operator.movement(SequenceOperators::setListed), "SequenceConstruct");
    table.add(Operator.movement(SequenceOperators::setInserted), "SequenceInsert");
    table.add(Operator.movement(SequenceOperators::setErased), "SequenceErase");
    table.add(Operator.movement(SequenceOperators::setElement), "SequenceAt");
    table.add(Operator.movement(SequenceOperators::setLength), "SequenceLength");
    table.add(Operator.movement(ShapeRule.of(SequenceOperators::setParts)), "SplitToSequence");
    table.add(Operator.movement(SequenceOperators::setJoined), "ConcatFromSequence");
    table.add(Operator.view(SequenceOperators::setSame), "Optional", "OptionalGetElement");
    table.add(Operator.movement(SequenceOperators::setPresence), "OptionalHasElement");
  }

  private static void setEmpty(NodeView node) {
    ElementType type = ElementType.of(node.integer("dtype", ElementType.FLOAT.number()));
    node.set(0, TensorFact.of(SequenceFact.empty(type)));
  }

  private static void setListed(NodeView node) {
    List<TensorFact> elements = new ArrayList<>();
    for (int i = 0; i < node.inputCount(); i++) {
      TensorFact element = node.input(i);
      elements.add(element == null ? TensorFact.unknown(ElementType.UNDEFINED) : element);
    }
    node.set(0, TensorFact.of(SequenceFact.of(elements)));
  }

  private static void setInserted(NodeView node) {
    SequenceFact sequence = node.sequence(0);
    TensorFact element = node.input(1);
    if (sequence == null || element == null) {
      return;
    }
    KnownNumbers position = node.numbers(2);
    SequenceFact longer = sequence.insert(element, position);
    boolean somewhere = node.has(2) && position == null;
    node.set(0, TensorFact.of(somewhere ? longer.shuffled() : longer));
  }

  private static void setErased(NodeView node) {
    SequenceFact sequence = node.sequence(0);
    if (sequence != null) {
      KnownNumbers position = node.numbers(1);
      boolean somewhere = node.has(1) && position == null;
      SequenceFact known = somewhere ? sequence.shuffled() : sequence;
      node.set(0, TensorFact.of(known.erase(position)));
    }
  }

  private static void setElement(NodeView node) {
    SequenceFact sequence = node.sequence(0);
    if (sequence != null) {
      node.set(0, sequence.at(node.numbers(1)));
    }
  }

  private static void setLength(NodeView node) {
    SequenceFact sequence = node.sequence(0);
    List<TensorFact> elements = sequence == null ? null : sequence.elements();
    if (elements == null) {
      node.set(0, ElementType.INT64, Shape.SCALAR);
    } else {
      KnownNumbers length = KnownNumbers.of((double) elements.size());
      node.setNumbers(0, ElementType.INT64, Shape.SCALAR, length);
    }
  }

  /** Parts of one, without their axis if so wished, of one size, or of sizes that are listed. */
  private static void setParts(NodeView node, Shape data) {
    int axis = data.axis(node.integer("axis", 0));
    List<TensorFact> parts = parts(node, data, axis);
    if (parts == null) {
      TensorFact common = part(node, data, axis, node.has(1) ? Shape.UNKNOWN : 1);
      node.set(0, TensorFact.of(SequenceFact.ofUnknownLength(dropped(node, common, axis))));
    } else {
      List<TensorFact> elements = parts.stream().map(each -> dropped(node, each, axis)).toList();
      boolean none = elements.isEmpty();
      node.set(
          0, TensorFact.of(none ? SequenceFact.empty(node.type(0)) : SequenceFact.of(elements)));
    }
  }

  /** Null where their number is not known, or larger than is followed. */
  private static @Nullable List<TensorFact> parts(NodeView node, Shape data, int axis) {
    Shape sizes = node.shape(1);
    KnownNumbers given = node.numbers(1);
    if (given != null && sizes != null && sizes.rank() == 1) {
      return Arrays.stream(given.integers())
          .mapToObj(extent -> part(node, data, axis, Math.max(0, extent)))
          .toList();
    }
    long extent = data.extent(axis);
    long size = size(given);
    boolean hidden = extent < 0 || (node.has(1) && given == null);
    if (hidden || extent / size >= SequenceFact.MAX_ELEMENTS) {
      return null;
    }
    List<TensorFact> parts = new ArrayList<>();
    for (long rest = extent; rest > 0; rest -= size) {
      parts.add(part(node, data, axis, Math.min(rest, size)));
    }
    return parts;
  }

  private static long size(@Nullable KnownNumbers given) {
    long size = given == null || given.size() == 0 ? 1 : given.integer(0);
    if (size < 1) {
      throw new ShapeMismatch("parts of " + size);
    }
    return size;
  }

  private static TensorFact part(NodeView node, Shape data, int axis, long extent) {
    return TensorFact.of(node.type(0), data.with(axis, extent, data.scales(axis)))
        .asConstant(node.isConstant(0));
  }

  /** Parts of one may go without their axis. */
  private static TensorFact dropped(NodeView node, TensorFact part, int axis) {
    Shape shape = part.shape();
    if (shape == null || node.has(1) || node.integer("keepdims", 1) != 0) {
      return part;
    }
    return part.withShape(shape.without(axis));
  }

  /** End to end along an axis, or side by side along a new one. */
  private static void setJoined(NodeView node) {
    SequenceFact sequence = node.sequence(0);
    if (sequence == null) {
      return;
    }
    long axis = node.integer("axis", 0);
    boolean stacks = node.integer("new_axis", 0) != 0;
    List<TensorFact> elements = sequence.elements();
    List<TensorFact> parts = new ArrayList<>();
    for (TensorFact element : elements == null ? List.of(sequence.common()) : elements) {
      parts.add(stacks ? withAxis(element, axis) : element);
    }
    TensorFact joined = JoinOperators.joined(parts, axis);
    Shape shape = joined == null ? null : joined.shape();
    if (joined != null && shape != null) {
      int at = shape.axis(axis);
      node.set(
          0,
          elements != null
              ? joined
              : TensorFact.of(joined.type(), shape.with(at, Shape.UNKNOWN, shape.scales(at))));
    }
  }

  private static TensorFact withAxis(TensorFact element, long axis) {
    Shape shape = element.shape();
    return shape == null ? element : element.withShape(shape.insert(axis, Shape.of(1)));
  }

  private static void setSame(NodeView node) {
    TensorFact data = node.input(0);
    if (data != null) {
      node.set(0, data);
    }
  }

  /** A missing optional value is absent; the presence of others is known at run time only. */
  private static void setPresence(NodeView node) {
    if (node.has(0)) {
      node.set(0, ElementType.BOOL, Shape.SCALAR);
    } else {
      node.setNumbers(0, ElementType.BOOL, Shape.SCALAR, KnownNumbers.of(0.0));
    }
  }
}
