package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/** Positions rotated into queries and keys, or made a bias of their scores. */
public final class PositionOperators {
  private static final LayerCounts GATE = new LayerCounts(0, 1, 1, 0);

  private PositionOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.arithmetic(node -> node.set(0, node.shape(0))),
        "RotaryEmbedding",
        MICROSOFT + "RotaryEmbedding",
        MICROSOFT + "MRotaryEmbedding");
    table.add(
        Operator.arithmetic(PositionOperators::setBothRotated), MICROSOFT + "GemmaRotaryEmbedding");
    table.add(
        Operator.movement(ShapeRule.of(PositionOperators::setBias)),
        MICROSOFT + "RelativePositionBias");
    table.add(
        Operator.matrix(
            PositionOperators::setGatedBias,
            WorkRule.of(
                WorkClass.LINEAR,
                node -> ProjectedAttentionOperators.product(node.shape(0), node.shape(3))),
            GATE),
        MICROSOFT + "GatedRelativePositionBias");
  }

  private static void setBothRotated(NodeView node) {
    node.set(0, node.type(1), node.shape(1));
    node.set(1, node.type(3), node.shape(3));
  }

  /** A table of (distances, heads) becomes (1, heads, queries, keys). */
  private static void setBias(NodeView node, Shape buckets) {
    Shape.Builder bias = new Shape.Builder(4).add(1, false).addAll(buckets, 1, 2);
    addLength(bias, node.single(1));
    addLength(bias, node.single(2));
    node.set(0, bias.build());
  }

  private static void addLength(Shape.Builder shape, @Nullable KnownNumbers length) {
    if (length == null) {
      shape.add(Shape.UNKNOWN, false);
    } else {
      shape.add(Math.max(0, length.integer(0)), length.scales(0));
    }
  }

  /**
   * Every query goes through the gate's weight (head size, columns). Samples are those of the
   * queries, or of input 6 where the queries are without padding.
   */
  private static void setGatedBias(NodeView node) {
    Shape query = node.shape(0);
    Shape bias = node.shape(2);
    Shape offsets = node.shape(6);
    Shape whole = query != null && query.rank() == 3 ? query : null;
    Shape samples = offsets != null ? offsets : whole;
    if (bias != null && samples != null) {
      node.set(0, samples.only(0).append(bias.slice(1, 4)));
    }
  }
}
