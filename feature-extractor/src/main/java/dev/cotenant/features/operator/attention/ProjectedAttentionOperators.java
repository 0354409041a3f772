package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.Work;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Attention with its projection: the input (batch, length, features) times weights of (features,
 * query + key + value sizes), then the attention itself.
 */
public final class ProjectedAttentionOperators {
  private static final LayerCounts ONE_PROJECTION = new LayerCounts(0, 1, 1, 0);
  private static final LayerCounts THREE_PROJECTIONS = new LayerCounts(0, 3, 1, 0);

  private ProjectedAttentionOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(projected(4), MICROSOFT + "Attention", MICROSOFT + "DecoderMaskedSelfAttention");
    table.add(projected(8), MICROSOFT + "QAttention");
    table.add(
        Operator.matrix(
            ShapeRule.of(ProjectedAttentionOperators::setPacked),
            ProjectedAttentionOperators::packedWork,
            ONE_PROJECTION),
        MICROSOFT + "PackedAttention");
    table.add(
        Operator.matrix(
            ProjectedAttentionOperators::setOrdered,
            ProjectedAttentionOperators::orderedWork,
            THREE_PROJECTIONS),
        MICROSOFT + "QOrderedAttention");
  }

  private static Operator projected(int pastInput) {
    return Operator.matrix(
        node -> setProjected(node, pastInput),
        node -> projectedWork(node, pastInput),
        ONE_PROJECTION);
  }

  /** Extents of queries and values within the columns of the weights. */
  private record Columns(long query, long value) {
    static Columns of(NodeView node, Shape weight) {
      long all = weight.extent(1);
      long third = all < 0 ? all : all / 3;
      return new Columns(
          requireSize(node.integerAt("qkv_hidden_sizes", 0, third)),
          requireSize(node.integerAt("qkv_hidden_sizes", 2, third)));
    }

    private static long requireSize(long size) {
      if (size < Shape.UNKNOWN) {
        throw new ShapeMismatch("a hidden size of " + size);
      }
      return size;
    }
  }

  private static long heads(NodeView node) {
    return Math.max(1, node.integer("num_heads", 1));
  }

  private static @Nullable Heads heads(NodeView node, int pastInput) {
    Shape data = node.shape(0);
    Shape weight = node.shape(1);
    if (data == null || weight == null) {
      return null;
    }
    Columns columns = Columns.of(node, weight);
    long count = heads(node);
    Shape queries = data.only(1);
    return new Heads(
        data.only(0),
        queries,
        Extents.joined(before(node, pastInput), queries),
        count,
        count,
        Extents.over(columns.query, count),
        Extents.over(columns.value, count));
  }

  /** The past is (2, batch, heads, length, size); of a shared buffer an input says the length. */
  private static @Nullable Shape before(NodeView node, int pastInput) {
    Shape past = node.shape(pastInput);
    if (past == null || past.rank() != 5) {
      return null;
    }
    if (!isShared(node)) {
      return past.only(3);
    }
    KnownNumbers length = node.single(6);
    return Shape.of(length == null ? Shape.UNKNOWN : Math.max(0, length.integer(0)));
  }

  private static boolean isShared(NodeView node) {
    return node.integer("past_present_share_buffer", 0) != 0;
  }

  private static void setProjected(NodeView node, int pastInput) {
    Heads heads = heads(node, pastInput);
    if (heads == null) {
      return;
    }
    boolean quantized = pastInput == 8;
    node.set(0, node.type(quantized ? 2 : 0), heads.result());
    Shape past = node.shape(pastInput);
    Shape present = Shape.of(2).append(heads.present(heads.size()));
    node.set(1, node.type(quantized ? 2 : 0), isShared(node) && past != null ? past : present);
  }

  /** The projections are linear. */
  private static Work projectedWork(NodeView node, int pastInput) {
    Heads heads = heads(node, pastInput);
    return Work.of(WorkClass.LINEAR, product(node.shape(0), node.shape(1)))
        .and(WorkClass.ATTENTION, heads == null ? Amount.UNKNOWN : heads.macs());
  }

  /** What a matrix product of {@code data} and {@code weight} costs. */
  static Amount product(@Nullable Shape data, @Nullable Shape weight) {
    return weight == null ? Amount.UNKNOWN : Amount.elements(data).times(weight.extent(1));
  }

  /** Tokens without padding; each attends to as many as the longest sequence may have. */
  private static void setPacked(NodeView node, Shape data) {
    Shape weight = node.shape(1);
    if (weight != null) {
      node.set(0, data.with(1, Columns.of(node, weight).value, false));
    }
  }

  private static Work packedWork(NodeView node) {
    Shape data = node.shape(0);
    Shape weight = node.shape(1);
    Amount pairs = Amount.UNKNOWN;
    if (data != null && weight != null) {
      Columns columns = Columns.of(node, weight);
      pairs =
          Amount.extent(data, 0)
              .times(Amount.extent(node.shape(3), 1))
              .times(Extents.plus(columns.query, columns.value));
    }
    return Work.of(WorkClass.LINEAR, product(data, weight)).and(WorkClass.ATTENTION, pairs);
  }

  /** Queries, keys and values have weights of their own, inputs 5 to 7. */
  private static @Nullable Heads ordered(NodeView node) {
    Shape data = node.shape(0);
    Shape query = node.shape(5);
    Shape value = node.shape(7);
    if (data == null || query == null || value == null) {
      return null;
    }
    long count = heads(node);
    Shape length = data.only(1);
    return new Heads(
        data.only(0),
        length,
        length,
        count,
        count,
        Extents.over(query.extent(1), count),
        Extents.over(value.extent(1), count));
  }

  private static void setOrdered(NodeView node) {
    Heads heads = ordered(node);
    if (heads != null) {
      node.set(0, heads.result());
    }
  }

  private static Work orderedWork(NodeView node) {
    Heads heads = ordered(node);
    Work work = Work.of(WorkClass.ATTENTION, heads == null ? Amount.UNKNOWN : heads.macs());
    for (int i = 5; i <= 7; i++) {
      work = work.and(WorkClass.LINEAR, product(node.shape(0), node.shape(i)));
    }
    return work;
  }
}
