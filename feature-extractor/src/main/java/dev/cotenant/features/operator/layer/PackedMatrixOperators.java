package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;

/**
 * Products with weights of few bits, stored in blocks whose shape is not that of the matrix:
 * attributes or another input say how many features go in (K) and come out (N).
 */
public final class PackedMatrixOperators {
  private static final LayerCounts ONE = new LayerCounts(0, 1, 0, 0);

  private PackedMatrixOperators() {}

  /** Features in and out of one matrix. */
  private record Features(long in, long out) {}

  @FunctionalInterface
  private interface FeatureRule {
    Features of(NodeView node);
  }

  public static void addTo(OperatorTable table) {
    table.add(product(PackedMatrixOperators::stated), MICROSOFT + "MatMulNBits");
    table.add(product(PackedMatrixOperators::statedEitherWay), MICROSOFT + "MatMulBnb4");
    table.add(product(PackedMatrixOperators::listed), MICROSOFT + "MatMulFpQ4");
    table.add(product(node -> stored(node, 2)), MICROSOFT + "MatMulBlockQuantizedFp4Weight");
    table.add(product(node -> stored(node, 1)), MICROSOFT + "MatMulBlockQuantizedFp8Weight");
    table.add(
        Operator.matrix(
                PackedMatrixOperators::setGated,
                WorkRule.of(WorkClass.LINEAR, node -> macs(node, stated(node)).times(2)),
                new LayerCounts(0, 2, 1, 0))
            .countingLayers(node -> new LayerCounts(0, 2, 1, node.has(2) ? 1 : 0)),
        MICROSOFT + "MatMulNBitsMlp");
    table.add(
        Operator.matrix(
            PackedMatrixOperators::setProjections,
            WorkRule.of(WorkClass.LINEAR, PackedMatrixOperators::projectionMacs),
            new LayerCounts(0, 3, 0, 1)),
        MICROSOFT + "MatMulNBitsQkv");
  }

  private static Operator product(FeatureRule rule) {
    return Operator.matrix(
        node -> setLast(node, 0, rule.of(node).out),
        WorkRule.of(WorkClass.LINEAR, node -> macs(node, rule.of(node))),
        ONE);
  }

  private static Features stated(NodeView node) {
    return new Features(node.integer("K", Shape.UNKNOWN), node.integer("N", Shape.UNKNOWN));
  }

  /** Backwards, with {@code transB} of 0, the features that came out go in. */
  private static Features statedEitherWay(NodeView node) {
    Features forward = stated(node);
    return node.integer("transB", 1) != 0 ? forward : new Features(forward.out, forward.in);
  }

  private static Features listed(NodeView node) {
    KnownNumbers shape = node.numbers(2);
    return shape == null || shape.size() != 2
        ? new Features(Shape.UNKNOWN, Shape.UNKNOWN)
        : new Features(shape.integer(0), shape.integer(1));
  }

  /** Rows of the weight are output features; each element packs several input features. */
  private static Features stored(NodeView node, int perElement) {
    Shape weight = node.shape(1);
    return weight == null
        ? new Features(Shape.UNKNOWN, Shape.UNKNOWN)
        : new Features(Extents.times(weight.extent(1), perElement), weight.extent(0));
  }

  private static void setLast(NodeView node, int output, long features) {
    Shape data = node.shape(0);
    if (data != null) {
      node.set(output, data.with(-1, features, false));
    }
  }

  private static Amount macs(NodeView node, Features features) {
    Shape data = node.shape(0);
    return data == null || data.rank() == 0
        ? Amount.UNKNOWN
        : Amount.elements(data, 0, data.rank() - 1).times(features.in).times(features.out);
  }

  /** Two products, one gating the other, possibly after a normalisation. */
  private static void setGated(NodeView node) {
    setLast(node, 0, stated(node).out);
    node.set(1, node.shape(0));
  }

  private static void setProjections(NodeView node) {
    setLast(node, 0, node.integer("Nq", Shape.UNKNOWN));
    setLast(node, 1, node.integer("Nkv", Shape.UNKNOWN));
    setLast(node, 2, node.integer("Nkv", Shape.UNKNOWN));
    node.set(3, node.shape(0));
  }

  private static Amount projectionMacs(NodeView node) {
    long queries = node.integer("Nq", Shape.UNKNOWN);
    long keys = node.integer("Nkv", Shape.UNKNOWN);
    long all = Extents.plus(queries, Extents.times(2, keys));
    return macs(node, new Features(node.integer("K", Shape.UNKNOWN), all));
  }
}
