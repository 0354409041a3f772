package dev.cotenant.features.operator.tensor;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import java.util.Arrays;

/** Choosing elements by index. */
public final class IndexingOperators {
  private static final LayerCounts NONE = new LayerCounts(0, 0, 0, 0);
  private static final LayerCounts EMBEDDING = new LayerCounts(0, 0, 0, 1);

  private IndexingOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.movement(IndexingOperators::setGathered)
            .countingLayers(node -> isEmbedding(node) ? EMBEDDING : NONE),
        "Gather");
    table.add(Operator.movement(node -> node.set(0, node.shape(1))), "GatherElements");
    table.add(
        Operator.movement(node -> setAlong(node, 0))
            .countingLayers(node -> isEmbedding(node) ? EMBEDDING : NONE),
        MICROSOFT + "TorchEmbedding");
    table.add(
        Operator.movement(IndexingOperators::setUnpacked)
            .countingLayers(node -> isEmbedding(node) ? EMBEDDING : NONE),
        MICROSOFT + "GatherBlockQuantized");
    table.add(
        Operator.movement(ShapeRule.of(IndexingOperators::setGatheredTuples)),
        "GatherND",
        MICROSOFT + "GatherND");
    table.add(
        Operator.movement(node -> node.set(0, node.shape(0))),
        "Scatter",
        "ScatterElements",
        "ScatterND",
        "TensorScatter");
    table.add(
        Operator.movement(ShapeRule.of(IndexingOperators::setSliced)), "Slice", "DynamicSlice");
    table.add(Operator.movement(ShapeRule.of(IndexingOperators::setOneHot)), "OneHot");
  }

  /** Rows of a stored table by indices that are data, or by a matrix of stored positions. */
  private static boolean isEmbedding(NodeView node) {
    Shape table = node.shape(0);
    Shape indices = node.shape(1);
    boolean isTable =
        node.isConstant(0)
            && table != null
            && table.rank() == 2
            && (node.type(0).isFloating() || node.type(0).isNarrowInteger());
    return isTable && indices != null && (!node.isConstant(1) || indices.rank() > 1);
  }

  private static void setGathered(NodeView node) {
    setAlong(node, node.integer("axis", 0));
    Shape data = node.shape(0);
    KnownNumbers known = node.numbers(0);
    KnownNumbers wanted = node.numbers(1);
    Shape result = node.outputShape(0);
    if (known != null && wanted != null && result != null && data != null && data.rank() == 1) {
      int[] picked = new int[wanted.size()];
      Arrays.setAll(picked, i -> index(wanted.integer(i), known.size()));
      node.setNumbers(0, node.type(0), result, known.pick(picked));
    }
  }

  private static void setAlong(NodeView node, long wantedAxis) {
    Shape data = node.shape(0);
    Shape indices = node.shape(1);
    if (data == null || indices == null) {
      return;
    }
    int axis = data.axis(wantedAxis);
    node.set(0, data.slice(0, axis).append(indices).append(data.slice(axis + 1, data.rank())));
  }

  /** Of bytes with several weights each, all but eight-bit ones, the last axis is the packed. */
  private static void setUnpacked(NodeView node) {
    setAlong(node, node.integer("gather_axis", 0));
    Shape packed = node.outputShape(0);
    if (packed == null) {
      return;
    }
    long bits = Math.clamp(node.integer("bits", 4), 1, 8);
    long perByte = node.type(0) == ElementType.UINT8 ? 8 / bits : 1;
    long last = Extents.times(packed.extent(-1), perByte);
    node.set(0, node.type(2), packed.with(-1, last, packed.scales(-1)));
  }

  private static int index(long wanted, int size) {
    long index = wanted < 0 ? wanted + size : wanted;
    if (index < 0 || index >= size) {
      throw new ShapeMismatch("element " + wanted + " of " + size);
    }
    return (int) index;
  }

  private static void setGatheredTuples(NodeView node, Shape data) {
    Shape indices = node.shape(1);
    if (indices == null || indices.rank() == 0) {
      return;
    }
    long batchAxes = node.integer("batch_dims", 0);
    long chosen = indices.extent(-1);
    if (chosen < 0 || batchAxes < 0 || chosen > data.rank() - batchAxes) {
      throw new ShapeMismatch("tuples of " + chosen + " into " + data);
    }
    node.set(
        0,
        indices
            .slice(0, indices.rank() - 1)
            .append(data.slice((int) (batchAxes + chosen), data.rank())));
  }

  private record Range(long begin, long end, long step) {
    long count() {
      return step > 0
          ? Math.max(0, Math.ceilDiv(end - begin, step))
          : Math.max(0, Math.ceilDiv(begin - end, -step));
    }

    /** Bounds count from the end when negative and are cut to the extent [ONNX, Slice]. */
    static Range of(long begin, long end, long step, long extent) {
      if (step == 0 || step < -Integer.MAX_VALUE || step > Integer.MAX_VALUE) {
        throw new ShapeMismatch("a step of " + step);
      }
      long first = begin < 0 ? begin + extent : begin;
      long last = end < 0 ? end + extent : end;
      return step > 0
          ? new Range(Math.clamp(first, 0, extent), Math.clamp(last, 0, extent), step)
          : new Range(Math.clamp(first, 0, extent - 1), Math.clamp(last, -1, extent - 1), step);
    }
  }

  private static void setSliced(NodeView node, Shape data) {
    KnownNumbers starts = node.attributeOrInput("starts", 1);
    KnownNumbers ends = node.attributeOrInput("ends", 2);
    KnownNumbers axes = node.attributeOrInput("axes", 3);
    KnownNumbers steps = node.numbers(4);
    boolean hidden = (node.has(3) && axes == null) || (node.has(4) && steps == null);
    if (starts == null || ends == null || hidden) {
      return;
    }
    Shape result = data;
    long[] strides = StridedIndices.rowMajor(data.extents());
    long offset = 0;
    for (int i = 0; i < starts.size(); i++) {
      int axis = data.axis(axes == null ? i : axes.integer(i));
      long extent = data.extent(axis);
      if (extent < 1) {
        continue;
      }
      long step = steps == null ? 1 : steps.integer(i);
      Range range = Range.of(starts.integer(i), ends.integer(i), step, extent);
      boolean whole = range.count() == extent;
      boolean follows = whole || starts.scales(i) || ends.scales(i);
      result = result.with(axis, range.count(), data.scales(axis) && follows);
      offset += range.begin * strides[axis];
      strides[axis] *= range.step;
    }
    node.set(0, result);
    KnownNumbers known = node.numbers(0);
    if (known != null && result.isKnown()) {
      KnownNumbers part = known.pick(StridedIndices.of(result.extents(), offset, strides));
      node.setNumbers(0, node.type(0), result, part);
    }
  }

  private static void setOneHot(NodeView node, Shape indices) {
    KnownNumbers depth = node.single(1);
    Shape classes = Shape.of(depth != null ? depth.integer(0) : Shape.UNKNOWN);
    node.set(0, node.type(2), indices.insert(node.integer("axis", -1), classes));
  }
}
