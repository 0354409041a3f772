package dev.cotenant.features.operator;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.Work;
import org.jspecify.annotations.Nullable;

/**
 * Attention as one operator. Scores cost batch × query length × key length × hidden size, and
 * weighting the values as much again; causal masks skip nothing, as in fvcore.
 */
final class AttentionOperators {
  private static final LayerCounts SOFTMAX = new LayerCounts(0, 0, 1, 0);
  private static final LayerCounts PROJECTION_AND_SOFTMAX = new LayerCounts(0, 1, 1, 0);

  private AttentionOperators() {}

  static void addTo(OperatorTable table) {
    table.add(
        Operator.matrix(
            AttentionOperators::setProjected,
            AttentionOperators::projectedWork,
            PROJECTION_AND_SOFTMAX),
        MICROSOFT + "Attention",
        MICROSOFT + "QAttention");
    Operator separate =
        Operator.matrix(
            AttentionOperators::setAttended,
            WorkRule.of(WorkClass.ATTENTION, AttentionOperators::separateMacs),
            SOFTMAX);
    table.add(
        separate,
        "Attention",
        MICROSOFT + "MultiHeadAttention",
        MICROSOFT + "GroupQueryAttention",
        MICROSOFT + "DecoderMaskedMultiHeadAttention");
  }

  /** Input (batch, length, hidden), weight (hidden, query + key + value sizes). */
  private static void setProjected(NodeView node) {
    Shape data = node.shape(0);
    Shape weight = node.shape(1);
    if (data != null && weight != null) {
      node.set(0, data.with(2, valueSize(node, weight), false));
    }
  }

  private static long valueSize(NodeView node, Shape weight) {
    long total = weight.extent(1);
    long third = total == Shape.UNKNOWN ? Shape.UNKNOWN : total / 3;
    return node.integerAt("qkv_hidden_sizes", 2, third);
  }

  /** The projections are linear; every pair of a query and a key costs both of their sizes. */
  private static Work projectedWork(NodeView node) {
    Shape data = node.shape(0);
    Shape weight = node.shape(1);
    if (data == null || weight == null || !data.isKnown() || !weight.isKnown()) {
      return Work.of(WorkClass.ATTENTION, Amount.UNKNOWN);
    }
    Amount length = Amount.extent(data, 1);
    Amount keys = length.plus(pastLength(node.shape(4)));
    Amount pairs = Amount.extent(data, 0).times(length).times(keys);
    long querySize = node.integerAt("qkv_hidden_sizes", 0, weight.extent(1) / 3);
    long perPair = Saturating.add(bounded(querySize), bounded(valueSize(node, weight)));
    return Work.of(WorkClass.LINEAR, Amount.elements(data).times(weight.extent(1)))
        .and(WorkClass.ATTENTION, pairs.times(perPair));
  }

  private static long bounded(long size) {
    if (size < 0) {
      throw new ShapeMismatch("a hidden size of " + size);
    }
    return size;
  }

  private static Amount pastLength(@Nullable Shape past) {
    if (past == null || past.rank() < 2) {
      return Amount.ZERO;
    }
    Amount length = Amount.extent(past, past.rank() - 2);
    return length.isKnown() ? length : Amount.ZERO;
  }

  /** The result and the keys and values so far; fused decoders write those into a shared buffer. */
  private static void setAttended(NodeView node) {
    setSeparate(node);
    boolean grows =
        node.label().startsWith("Attention") || node.label().startsWith("MultiHeadAttention");
    if (grows) {
      setPresent(node, 1);
      setPresent(node, 2);
    }
  }

  /** (batch, heads, past and new length, head size). */
  private static void setPresent(NodeView node, int input) {
    Shape data = node.shape(input);
    long heads = keyHeads(node, queryHeads(node));
    if (data == null || !data.isKnown()) {
      return;
    }
    Shape past = node.shape(pastInput(node) + input - 1);
    long before = past == null || past.rank() != 4 ? 0 : Math.max(0, past.extent(2));
    if (data.rank() == 4) {
      node.set(input, data.with(2, Saturating.add(before, data.extent(2)), data.scales(2)));
    } else if (data.rank() == 3 && heads > 0) {
      node.set(
          input,
          new Shape.Builder(4)
              .addAll(data, 0, 1)
              .add(heads, false)
              .add(Saturating.add(before, data.extent(1)), data.scales(1))
              .add(data.extent(2) / heads, false)
              .build());
    }
  }

  /** Query, key and value as (batch, length, hidden) or (batch, heads, length, head size). */
  private static void setSeparate(NodeView node) {
    Shape query = node.shape(0);
    Shape value = node.shape(2);
    if (query == null) {
      return;
    }
    long packed = node.has(1) ? 0 : packedHeadSize(node, query);
    if (packed > 0) {
      node.set(0, query.with(-1, Saturating.multiply(queryHeads(node), packed), false));
    } else if (query.rank() == 4 && value != null && value.rank() == 4) {
      node.set(0, query.with(3, value.extent(3), false));
    } else if (value != null && value.rank() == query.rank()) {
      long heads = queryHeads(node);
      long keyHeads = keyHeads(node, heads);
      long size = value.extent(-1);
      boolean grouped = heads > 0 && keyHeads > 0 && size >= 0;
      node.set(0, query.with(-1, grouped ? size / keyHeads * heads : size, false));
    } else {
      node.set(0, query);
    }
  }

  /** Head size where one input holds queries, keys and values side by side; else 0. */
  private static long packedHeadSize(NodeView node, Shape packed) {
    long heads = queryHeads(node);
    long keyHeads = keyHeads(node, heads);
    if (packed.rank() != 3 || heads < 1 || keyHeads < 1 || packed.extent(2) < 1) {
      return 0;
    }
    long all = Saturating.add(heads, Saturating.multiply(2, keyHeads));
    if (packed.extent(2) % all != 0) {
      throw new ShapeMismatch(packed + " holds no " + all + " heads");
    }
    return packed.extent(2) / all;
  }

  private static long queryHeads(NodeView node) {
    return node.integer("q_num_heads", node.integer("num_heads", 0));
  }

  private static long keyHeads(NodeView node, long heads) {
    return node.integer("kv_num_heads", heads);
  }

  private static Amount separateMacs(NodeView node) {
    Shape query = node.shape(0);
    Shape key = node.has(1) ? node.shape(1) : query;
    Shape result = node.outputShape(0);
    if (query == null || key == null || result == null || query.rank() < 3 || key.rank() < 3) {
      return Amount.UNKNOWN;
    }
    Amount queries = Amount.elements(node.has(1) ? query : result);
    Amount values = Amount.elements(result);
    Amount keys = Amount.extent(key, key.rank() - 2).plus(pastLength(node.shape(pastInput(node))));
    return queries.plus(values).times(keys);
  }

  /**
   * The cache of keys: input 4 of {@code Attention}, 3 of grouped query, 5 of masked, 6 of
   * multi-head.
   */
  private static int pastInput(NodeView node) {
    if (node.label().startsWith("GroupQueryAttention")) {
      return 3;
    }
    if (node.label().startsWith("DecoderMaskedMultiHeadAttention")) {
      return 5;
    }
    return node.label().startsWith("MultiHeadAttention") ? 6 : 4;
  }
}
