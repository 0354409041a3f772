package dev.cotenant.features.operator.tensor;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/** Text and its tokens. Text is not followed, so how many words it has is not known. */
public final class TextOperators {
  private TextOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.movement(ShapeRule.of(TextOperators::setNormalized)), "StringNormalizer");
    table.add(Operator.movement(TextOperators::setWords), "StringSplit");
    table.add(
        Operator.movement(node -> node.set(0, withUnknownAxis(node.shape(0)))),
        MICROSOFT + "Tokenizer");
    table.add(Operator.reduction(ShapeRule.of(TextOperators::setCounts)), "TfIdfVectorizer");
    table.add(
        Operator.reduction(
            node -> node.set(0, Shape.broadcastNullable(node.shape(0), node.shape(1)))),
        "StringConcat");
    table.add(
        Operator.reduction(node -> node.set(0, ElementType.BOOL, node.shape(0))), "RegexFullMatch");
    table.add(Operator.arithmetic(TextOperators::setHash), MICROSOFT + "MurmurHash3");
    table.add(
        Operator.reduction(ShapeRule.of(TextOperators::setHashes)), MICROSOFT + "NGramHashMapping");
    table.add(
        Operator.reduction(ShapeRule.of(TextOperators::setPackedHashes)),
        MICROSOFT + "VarlenNGramHashMapping");
    table.add(
        Operator.reduction(node -> node.set(0, node.type(1), node.shape(1))),
        MICROSOFT + "NGramRepeatBlock");
    table.add(
        Operator.reduction(node -> node.set(0, ElementType.INT32, Shape.of(2, Shape.UNKNOWN))),
        MICROSOFT + "DynamicTimeWarping");
    table.add(Operator.movement(TextOperators::setMatched), MICROSOFT + "BifurcationDetector");
    table.add(
        Operator.matrix(
            ShapeRule.of(TextOperators::setWordVectors),
            WorkRule.of(WorkClass.CONVOLUTION, TextOperators::wordMacs),
            new LayerCounts(1, 0, 0, 0)),
        MICROSOFT + "WordConvEmbedding");
  }

  private static @Nullable Shape withUnknownAxis(@Nullable Shape shape) {
    return shape == null ? null : shape.append(Shape.UNKNOWN);
  }

  /** Words that are no stop words remain; without stop words all do. */
  private static void setNormalized(NodeView node, Shape data) {
    boolean drops = node.hasAttribute("stopwords");
    node.set(0, drops ? data.with(-1, Shape.UNKNOWN, false) : data);
  }

  private static void setWords(NodeView node) {
    node.set(0, withUnknownAxis(node.shape(0)));
    node.set(1, ElementType.INT64, node.shape(0));
  }

  /** One count an n-gram, at the places that {@code ngram_indexes} lists. */
  private static void setCounts(NodeView node, Shape data) {
    long[] places = node.integers("ngram_indexes");
    if (places == null) {
      return;
    }
    long last = -1;
    for (long place : places) {
      last = Math.max(last, place);
    }
    node.set(0, ElementType.FLOAT, data.slice(0, Math.max(0, data.rank() - 1)).append(last + 1));
  }

  private static void setHash(NodeView node) {
    boolean positive = node.integer("positive", 1) != 0;
    node.set(0, positive ? ElementType.UINT32 : ElementType.INT32, node.shape(0));
  }

  /** As many hashes a token as there are heads, for n-grams of two and more. */
  private static long hashes(NodeView node) {
    return Extents.times(history(node), node.integer("n_head_per_ngram", Shape.UNKNOWN));
  }

  private static long history(NodeView node) {
    return Math.max(Shape.UNKNOWN, node.integer("max_ngram_size", 0) - 1);
  }

  private static void setHashes(NodeView node, Shape data) {
    node.set(0, data.slice(0, 2).append(hashes(node)));
    node.set(1, data.only(0).append(history(node)));
  }

  private static void setPackedHashes(NodeView node, Shape tokens) {
    Shape lengths = node.shape(3);
    if (lengths == null) {
      return;
    }
    node.set(0, tokens.only(0).append(hashes(node)));
    long batch = Math.max(Shape.UNKNOWN, lengths.extent(0) - 1);
    node.set(1, Shape.of(batch, history(node)));
    node.set(2, ElementType.INT32, Shape.of(batch, history(node)));
  }

  /** Tokens, as many as match, and where the match ends. */
  private static void setMatched(NodeView node) {
    node.set(0, Shape.of(Shape.UNKNOWN));
    node.set(1, node.type(2), node.shape(2));
  }

  /** Words of (words, characters) become (words, filters). */
  private static void setWordVectors(NodeView node, Shape words) {
    Shape kernel = node.shape(1);
    if (kernel != null) {
      Shape.Builder vectors = new Shape.Builder(2).addAll(words, 0, 1).addAll(kernel, 0, 1);
      node.set(0, node.type(1), vectors.build());
    }
  }

  /** The kernel (filters, 1, window, embedding) takes every position in a word. */
  private static Amount wordMacs(NodeView node) {
    Shape words = node.shape(0);
    Shape kernel = node.shape(1);
    if (words == null || kernel == null || words.extent(1) < 0 || kernel.extent(2) < 0) {
      return Amount.UNKNOWN;
    }
    long positions = Math.max(0, words.extent(1) - kernel.extent(2) + 1);
    return Amount.extent(words, 0).times(positions).times(kernel.elements());
  }
}
