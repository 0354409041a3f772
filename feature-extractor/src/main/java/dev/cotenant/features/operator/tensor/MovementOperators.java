package dev.cotenant.features.operator.tensor;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Transposing, joining, splitting, padding, repeating: elements go elsewhere. */
public final class MovementOperators {
  private MovementOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.movement(MovementOperators::setTransposed), "Transpose");
    table.add(Operator.movement(ShapeRule.of(MovementOperators::setSplit)), "Split");
    table.add(
        Operator.movement(ShapeRule.of(MovementOperators::setPadded)), "Pad", MICROSOFT + "Pad");
    table.add(Operator.movement(ShapeRule.of(MovementOperators::setTiled)), "Tile");
    table.add(
        Operator.movement(ShapeRule.of(MovementOperators::setExpanded)).runningAs(Kernel.POINTWISE),
        "Expand");
    table.add(Operator.movement(ShapeRule.of(MovementOperators::setSpaceToDepth)), "SpaceToDepth");
    table.add(Operator.movement(ShapeRule.of(MovementOperators::setDepthToSpace)), "DepthToSpace");
    table.add(
        Operator.movement(node -> node.set(0, node.shape(0))).runningAs(Kernel.POINTWISE),
        MICROSOFT + "Trilu",
        "Trilu");
    table.add(Operator.movement(node -> node.set(0, node.shape(0))), "ReverseSequence");
  }

  private static void setTransposed(NodeView node) {
    TensorFact data = node.input(0);
    Shape shape = node.shape(0);
    if (data == null || shape == null) {
      return;
    }
    long[] order = node.integers("perm");
    if (order != null && order.length != shape.rank()) {
      throw new ShapeMismatch("a permutation of " + order.length + " axes of " + shape);
    }
    Shape.Builder result = new Shape.Builder(shape.rank());
    for (int i = 0; i < shape.rank(); i++) {
      int axis = order == null ? shape.rank() - 1 - i : shape.axis(order[i]);
      result.addAll(shape, axis, axis + 1);
    }
    TensorFact moved = data.withShape(result.build());
    KnownNumbers known = data.numbers();
    node.set(0, known == null ? moved : moved.withNumbers(transposed(known, shape, order)));
  }

  private static KnownNumbers transposed(KnownNumbers known, Shape shape, long @Nullable [] order) {
    int rank = shape.rank();
    long[] strides = StridedIndices.rowMajor(shape.extents());
    long[] extents = new long[rank];
    long[] moved = new long[rank];
    for (int i = 0; i < rank; i++) {
      int axis = order == null ? rank - 1 - i : shape.axis(order[i]);
      extents[i] = shape.extent(axis);
      moved[i] = strides[axis];
    }
    return known.pick(StridedIndices.of(extents, 0, moved));
  }

  private static void setSplit(NodeView node, Shape data) {
    if (node.outputCount() == 0 || (node.has(1) && node.numbers(1) == null)) {
      return;
    }
    int axis = data.axis(node.integer("axis", 0));
    KnownNumbers sizes = node.attributeOrInput("split", 1);
    long extent = data.extent(axis);
    long parts = node.outputCount();
    long size = extent < 0 ? Shape.UNKNOWN : extent / parts + (extent % parts == 0 ? 0 : 1);
    long begin = 0;
    for (int i = 0; i < parts; i++) {
      long even = extent < 0 ? size : Math.max(0, Math.min(size, extent - i * size));
      long part = sizes == null ? even : sizes.integer(i);
      node.set(i, data.with(axis, part, data.scales(axis)));
      KnownNumbers known = node.numbers(0);
      if (known != null && data.rank() == 1 && part >= 0 && part <= known.size() - begin) {
        int from = (int) begin;
        int[] indices = new int[(int) part];
        Arrays.setAll(indices, k -> from + k);
        node.setNumbers(i, node.type(0), Shape.of(part), known.pick(indices));
      }
      begin = Saturating.add(begin, Math.max(0, part));
    }
  }

  private static void setPadded(NodeView node, Shape data) {
    KnownNumbers pads =
        node.attributeOrInput(node.hasAttribute("paddings") ? "paddings" : "pads", 1);
    if (pads == null) {
      return;
    }
    KnownNumbers axes = node.numbers(3);
    int count = axes == null ? data.rank() : axes.size();
    if (pads.size() != 2 * count) {
      throw new ShapeMismatch(pads.size() + " paddings of " + count + " axes");
    }
    Shape result = data;
    for (int i = 0; i < count; i++) {
      int axis = data.axis(axes == null ? i : axes.integer(i));
      double padded = data.extent(axis) + pads.at(i) + pads.at(i + count);
      long extent = data.extent(axis) < 0 ? Shape.UNKNOWN : (long) Math.max(0, padded);
      result = result.with(axis, extent, data.scales(axis));
    }
    node.set(0, result);
  }

  private static void setTiled(NodeView node, Shape data) {
    KnownNumbers repeats = node.numbers(1);
    if (repeats == null) {
      return;
    }
    Shape.Builder result = new Shape.Builder(data.rank());
    for (int i = 0; i < data.rank(); i++) {
      long extent = data.extent(i);
      long times = Math.max(0, repeats.integer(i));
      result.add(
          extent < 0 ? extent : Saturating.multiply(extent, times),
          data.scales(i) || repeats.scales(i));
    }
    node.set(0, result.build());
  }

  private static void setExpanded(NodeView node, Shape data) {
    KnownNumbers target = node.numbers(1);
    if (target == null) {
      return;
    }
    Shape.Builder wanted = new Shape.Builder(target.size());
    for (int i = 0; i < target.size(); i++) {
      wanted.add(target.integer(i) == -1 ? 1 : target.integer(i), target.scales(i));
    }
    Shape result = Shape.broadcast(data, wanted.build());
    node.set(0, result);
    KnownNumbers known = node.numbers(0);
    if (known != null && known.size() == 1 && result.elements() <= KnownNumbers.MAX_ELEMENTS) {
      int[] same = new int[(int) Math.max(0, result.elements())];
      node.setNumbers(0, node.type(0), result, known.pick(same));
    }
  }

  private static void setSpaceToDepth(NodeView node, Shape data) {
    long block = blockSize(node);
    node.set(
        0,
        data.with(1, Extents.times(data.extent(1), block * block), data.scales(1))
            .with(2, over(data.extent(2), block), data.scales(2))
            .with(3, over(data.extent(3), block), data.scales(3)));
  }

  private static void setDepthToSpace(NodeView node, Shape data) {
    long block = blockSize(node);
    node.set(
        0,
        data.with(1, over(data.extent(1), block * block), data.scales(1))
            .with(2, Extents.times(data.extent(2), block), data.scales(2))
            .with(3, Extents.times(data.extent(3), block), data.scales(3)));
  }

  private static long blockSize(NodeView node) {
    long block = node.integer("blocksize", 1);
    if (block < 1 || block > 1 << 16) {
      throw new ShapeMismatch("a block size of " + block);
    }
    return block;
  }

  private static long over(long extent, long divisor) {
    return extent < 0 ? extent : extent / divisor;
  }
}
