package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Attention whose keys and values have fewer heads than the queries. The keys may be in a buffer
 * that is longer than its content, so that an input gives the total length.
 */
public final class GroupedAttentionOperators {
  private static final int PAST = 3;

  private GroupedAttentionOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        AttentionOperators.attention(
            GroupedAttentionOperators::setGrouped, GroupedAttentionOperators::grouped),
        MICROSOFT + "GroupQueryAttention");
    table.add(
        AttentionOperators.attention(
            GroupedAttentionOperators::setSparse, GroupedAttentionOperators::sparse),
        MICROSOFT + "SparseAttention");
    table.add(
        AttentionOperators.attention(
            GroupedAttentionOperators::setPaged, GroupedAttentionOperators::paged),
        MICROSOFT + "PagedAttention");
  }

  /** Without keys of their own the queries hold keys and values too, side by side. */
  private static @Nullable Heads unpacked(NodeView node, int length) {
    Shape query = node.shape(0);
    Shape key = node.has(1) ? node.shape(1) : query;
    if (query == null || key == null) {
      return null;
    }
    long count = node.integer("num_heads", 1);
    long keyCount = node.integer("kv_num_heads", count);
    if (count < 1 || keyCount < 1) {
      throw new ShapeMismatch(count + " heads of queries, " + keyCount + " of keys");
    }
    boolean packed = !node.has(1);
    long all = Extents.plus(count, packed ? Extents.times(2, keyCount) : 0);
    long size = Extents.over(query.extent(-1), all);
    Shape value = node.shape(2);
    long valueSize = packed || value == null ? size : Extents.over(value.extent(-1), keyCount);
    Shape queries = query.only(length);
    Shape keys = key.only(length);
    return new Heads(query.only(0), queries, keys, count, keyCount, size, valueSize);
  }

  private static @Nullable Shape total(NodeView node, int input) {
    KnownNumbers total = node.single(input);
    return total == null || total.integer(0) < 1
        ? null
        : Shape.of(new long[] {total.integer(0)}, total.scales(0) ? 1 : 0);
  }

  private static @Nullable Heads grouped(NodeView node) {
    Heads heads = unpacked(node, 1);
    if (heads == null) {
      return null;
    }
    Shape total = total(node, 6);
    Shape past = node.shape(PAST);
    Shape grown = Extents.joined(past == null ? null : past.only(2), heads.keys());
    return heads.withKeys(total == null ? grown : total);
  }

  private static void setGrouped(NodeView node) {
    Heads heads = grouped(node);
    if (heads == null) {
      return;
    }
    node.set(0, heads.result());
    node.set(3, heads.scores());
    setPresent(node, heads.present(heads.size()), 1);
    setPresent(node, heads.present(heads.valueSize()), 2);
  }

  /** As the past one but as long as all positions; a buffer or a window keeps its length. */
  private static void setPresent(NodeView node, Shape grown, int output) {
    int input = PAST + output - 1;
    Shape past = node.shape(input);
    if (past == null) {
      node.set(output, grown);
      return;
    }
    boolean windowed = node.integer("sliding_window_cache", 0) != 0;
    boolean keeps =
        windowed || (grown.extent(2) != Shape.UNKNOWN && past.extent(2) >= grown.extent(2));
    node.set(
        output, node.type(input), keeps ? past : past.with(2, grown.extent(2), grown.scales(2)));
  }

  /** The buffer is always shared, so only the total says how many keys there are. */
  private static @Nullable Heads sparse(NodeView node) {
    Heads heads = unpacked(node, 1);
    Shape total = total(node, 7);
    return heads == null ? null : heads.withKeys(total == null ? unknown() : total);
  }

  private static void setSparse(NodeView node) {
    Heads heads = sparse(node);
    if (heads != null) {
      node.set(0, heads.result());
      setCaches(node);
    }
  }

  private static void setCaches(NodeView node) {
    node.set(1, node.type(PAST), node.shape(PAST));
    node.set(2, node.type(PAST + 1), node.shape(PAST + 1));
  }

  /** Packed tokens against blocks of keys; how many belong to whom is data. */
  private static @Nullable Heads paged(NodeView node) {
    Heads heads = unpacked(node, 0);
    if (heads == null) {
      return null;
    }
    long given = node.integer("v_head_size", 0);
    long valueSize = given > 0 ? given : heads.valueSize();
    return new Heads(
        heads.batch(),
        Shape.of(1),
        unknown(),
        heads.count(),
        heads.keyCount(),
        heads.size(),
        valueSize);
  }

  private static void setPaged(NodeView node) {
    Heads heads = paged(node);
    if (heads != null) {
      long hidden = Extents.times(heads.count(), heads.valueSize());
      node.set(0, heads.batch().append(hidden));
      setCaches(node);
    }
  }

  private static Shape unknown() {
    return Shape.of(Shape.UNKNOWN);
  }
}
