package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Sequences without their padding, token after token. Each token attends to its own sequence only,
 * which may be as long as the padded one.
 */
public final class PackedTokenOperators {
  private PackedTokenOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        AttentionOperators.attention(
            PackedTokenOperators::setAttended, PackedTokenOperators::heads),
        MICROSOFT + "PackedMultiHeadAttention");
    table.add(
        Operator.movement(ShapeRule.of(PackedTokenOperators::setRemoved)),
        MICROSOFT + "RemovePadding");
    table.add(
        Operator.movement(ShapeRule.of(PackedTokenOperators::setRestored)),
        MICROSOFT + "RestorePadding");
  }

  /** Queries (tokens, features) with keys and values, or (tokens, heads, 3, size) with all. */
  private static @Nullable Heads heads(NodeView node) {
    Shape query = node.shape(0);
    Shape offsets = node.shape(4);
    if (query == null) {
      return null;
    }
    Shape keys = offsets == null ? Shape.of(Shape.UNKNOWN) : offsets.only(1);
    Shape tokens = query.only(0);
    if (query.rank() == 4) {
      long heads = query.extent(1);
      return new Heads(tokens, Shape.of(1), keys, heads, heads, query.extent(3), query.extent(3));
    }
    long count = Math.max(1, node.integer("num_heads", 1));
    Shape value = node.has(2) ? node.shape(2) : query;
    long size = Extents.over(query.extent(1), count);
    long valueSize = value == null ? Shape.UNKNOWN : Extents.over(value.extent(1), count);
    return new Heads(tokens, Shape.of(1), keys, count, count, size, valueSize);
  }

  private static void setAttended(NodeView node) {
    Heads heads = heads(node);
    if (heads != null) {
      long hidden = Extents.times(heads.count(), heads.valueSize());
      node.set(0, heads.batch().append(hidden));
    }
  }

  /** How many tokens are no padding depends on the data. */
  private static void setRemoved(NodeView node, Shape data) {
    node.set(0, Shape.of(Shape.UNKNOWN).append(data.only(2)));
    node.set(1, node.type(1), data.slice(0, 2));
    node.set(2, node.type(1), Shape.of(Extents.plus(data.extent(0), 1)));
    node.set(3, node.type(1), Shape.of(1));
  }

  private static void setRestored(NodeView node, Shape data) {
    Shape offsets = node.shape(1);
    if (offsets != null) {
      node.set(0, offsets.slice(0, 2).append(data.only(1)));
    }
  }
}
