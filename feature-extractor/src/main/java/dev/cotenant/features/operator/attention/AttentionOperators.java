package dev.cotenant.features.operator.attention;

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
import org.jspecify.annotations.Nullable;

/** Attention over queries, keys and values that were projected before. */
public final class AttentionOperators {
  static final LayerCounts SOFTMAX = new LayerCounts(0, 0, 1, 0);

  private AttentionOperators() {}

  /** Finds the heads in an operator's inputs; null where their shapes are not known. */
  @FunctionalInterface
  interface HeadRule {
    @Nullable Heads find(NodeView node);
  }

  public static void addTo(OperatorTable table) {
    table.add(
        attention(AttentionOperators::setStandard, AttentionOperators::standard), "Attention");
    table.add(
        attention(node -> setMultiHead(node, 6, 8), node -> multiHead(node, 6, 8)),
        MICROSOFT + "MultiHeadAttention");
    table.add(
        attention(node -> setMultiHead(node, 5, 7), node -> multiHead(node, 5, 7)),
        MICROSOFT + "DecoderMaskedMultiHeadAttention");
  }

  static Operator attention(Operator.ShapeRule shape, HeadRule rule) {
    return Operator.matrix(
        shape, WorkRule.of(WorkClass.ATTENTION, node -> macs(node, rule)), SOFTMAX);
  }

  private static Amount macs(NodeView node, HeadRule rule) {
    Heads heads = rule.find(node);
    return heads == null ? Amount.UNKNOWN : heads.macs();
  }

  /** Heads side by side in rank 3 or as an axis in rank 4 [ONNX, Attention]. */
  private static @Nullable Heads standard(NodeView node) {
    Shape query = node.shape(0);
    Shape key = node.shape(1);
    Shape value = node.shape(2);
    if (query == null || key == null || value == null) {
      return null;
    }
    Shape past = node.shape(4);
    Shape before = past == null ? null : past.only(2);
    Shape batch = query.only(0);
    if (query.rank() == 4) {
      Shape keys = Extents.joined(before, key.only(2));
      Shape queries = query.only(2);
      return new Heads(
          batch, queries, keys, query.extent(1), key.extent(1), query.extent(3), value.extent(3));
    }
    long count = node.integer("q_num_heads", 1);
    long keyCount = node.integer("kv_num_heads", count);
    return new Heads(
        batch,
        query.only(1),
        Extents.joined(before, key.only(1)),
        count,
        keyCount,
        Extents.over(query.extent(2), count),
        Extents.over(value.extent(2), keyCount));
  }

  private static void setStandard(NodeView node) {
    Shape query = node.shape(0);
    Heads heads = standard(node);
    if (heads != null && query != null) {
      node.set(0, query.rank() == 4 ? heads.resultByHead() : heads.result());
      setPresent(node, heads);
    }
  }

  private static void setPresent(NodeView node, Heads heads) {
    node.set(1, heads.present(heads.size()));
    node.set(2, heads.present(heads.valueSize()));
    node.set(3, heads.scores());
  }

  /**
   * Queries alone, with keys and values packed to them, or with keys and values of their own, those
   * of a cross attention by head [ONNX Runtime, MultiHeadAttention].
   */
  private static @Nullable Heads multiHead(NodeView node, int pastInput, int lengthInput) {
    Shape query = node.shape(0);
    Shape key = node.shape(1);
    if (query == null || (node.has(1) && key == null)) {
      return null;
    }
    Shape batch = query.only(0);
    Shape queries = query.only(1);
    long count = node.integer("num_heads", query.rank() == 5 ? query.extent(2) : 1);
    if (key == null) {
      long size = query.rank() == 5 ? query.extent(4) : Extents.over(query.extent(2), 3 * count);
      Heads packed = new Heads(batch, queries, queries, count, count, size, size);
      return withPast(node, packed, pastInput, lengthInput);
    }
    long size = Extents.over(query.extent(2), count);
    if (key.rank() == 4) {
      return new Heads(batch, queries, key.only(2), count, count, size, valueSize(node, size));
    }
    Shape keys = key.only(1);
    Shape value = node.shape(2);
    long valueSize = value == null ? size : Extents.over(value.extent(2), count);
    Heads heads = new Heads(batch, queries, keys, count, count, size, valueSize);
    return withPast(node, heads, pastInput, lengthInput);
  }

  private static long valueSize(NodeView node, long fallback) {
    Shape value = node.shape(2);
    return value == null ? fallback : value.extent(3);
  }

  /** A shared buffer is longer than what it holds; another input says how much that is. */
  private static Heads withPast(NodeView node, Heads heads, int pastInput, int lengthInput) {
    Shape past = node.shape(pastInput);
    if (past == null) {
      return heads;
    }
    Shape before = past.only(2);
    if (isShared(node, lengthInput)) {
      KnownNumbers length = node.single(lengthInput);
      before = Shape.of(length == null ? Shape.UNKNOWN : Math.max(0, length.integer(0)));
    }
    return heads.withKeys(Extents.joined(before, heads.keys()));
  }

  private static boolean isShared(NodeView node, int lengthInput) {
    return node.has(lengthInput) || node.integer("past_present_share_buffer", 0) != 0;
  }

  private static void setMultiHead(NodeView node, int pastInput, int lengthInput) {
    Heads heads = multiHead(node, pastInput, lengthInput);
    if (heads == null) {
      return;
    }
    node.set(0, heads.result());
    setPresent(node, heads);
    if (isShared(node, lengthInput) && node.has(pastInput)) {
      node.set(1, node.shape(pastInput));
      node.set(2, node.shape(pastInput + 1));
    }
  }
}
