package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.Work;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Attention of a decoder, steps before samples, that projects queries by one weight and keys and
 * values by another. Two inputs say whether it attends to itself or an encoder and whether keys and
 * values so far come from a cache; those of an encoder are then not projected again.
 */
public final class DecoderAttentionOperator {
  private static final LayerCounts LAYERS = new LayerCounts(0, 2, 1, 0);
  private static final int STATIC_KEYS = 8;
  private static final int USES_CACHE = 9;

  private DecoderAttentionOperator() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.matrix(
            DecoderAttentionOperator::setAttended, DecoderAttentionOperator::work, LAYERS),
        MICROSOFT + "DecoderAttention");
  }

  /** Where keys and values come from. */
  private enum Source {
    ITSELF,
    ITSELF_AND_CACHE,
    ENCODER,
    CACHE
  }

  /** Null where the flags are not stored in the model. */
  private static @Nullable Source source(NodeView node) {
    KnownNumbers fixed = node.single(STATIC_KEYS);
    KnownNumbers cached = node.single(USES_CACHE);
    if (fixed == null || cached == null) {
      return null;
    }
    boolean usesCache = cached.at(0) != 0;
    return fixed.at(0) != 0
        ? usesCache ? Source.CACHE : Source.ENCODER
        : usesCache ? Source.ITSELF_AND_CACHE : Source.ITSELF;
  }

  private static @Nullable Heads heads(NodeView node) {
    Shape query = node.shape(0);
    if (query == null) {
      return null;
    }
    long count = Math.max(1, node.integer("num_heads", 1));
    long size = Extents.over(query.extent(2), count);
    Shape keys = keys(node, query);
    return new Heads(
        query.only(1),
        query.only(0),
        keys == null ? Shape.of(Shape.UNKNOWN) : keys,
        count,
        count,
        size,
        size);
  }

  private static @Nullable Shape keys(NodeView node, Shape query) {
    Shape encoded = node.shape(1);
    Shape cache = node.shape(6);
    return switch (source(node)) {
      case ITSELF -> query.only(0);
      case ITSELF_AND_CACHE -> cache == null ? null : Extents.joined(cache.only(2), query.only(0));
      case ENCODER -> encoded == null ? null : encoded.only(0);
      case CACHE -> cache == null ? null : cache.only(2);
      case null -> null;
    };
  }

  private static void setAttended(NodeView node) {
    node.set(0, node.shape(0));
    Heads heads = heads(node);
    if (heads != null) {
      node.set(1, heads.present(heads.size()));
      node.set(2, heads.present(heads.size()));
    }
  }

  private static Work work(NodeView node) {
    Heads heads = heads(node);
    Amount keys =
        switch (source(node)) {
          case ITSELF, ITSELF_AND_CACHE -> product(node, 0, 3);
          case ENCODER -> product(node, 1, 3);
          case CACHE -> Amount.ZERO;
          case null -> Amount.UNKNOWN;
        };
    return Work.of(WorkClass.LINEAR, product(node, 0, 2).plus(keys))
        .and(WorkClass.ATTENTION, heads == null ? Amount.UNKNOWN : heads.macs());
  }

  private static Amount product(NodeView node, int data, int weight) {
    return ProjectedAttentionOperators.product(node.shape(data), node.shape(weight));
  }
}
