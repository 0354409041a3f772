package dev.cotenant.features.operator;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;

/** Sequences, optional values and text, whose extents depend on what is in them. */
final class SequenceOperators {
  private SequenceOperators() {}

  static void addTo(OperatorTable table) {
    table.add(
        Operator.passThrough(),
        "ConcatFromSequence",
        "ImageDecoder",
        "SequenceAt",
        "SequenceConstruct",
        "SequenceEmpty",
        "SequenceErase",
        "SequenceInsert",
        "SequenceMap",
        "SplitToSequence",
        "StringNormalizer",
        "StringSplit");
    table.add(
        Operator.movement(node -> node.set(0, ElementType.INT64, Shape.SCALAR)), "SequenceLength");
    table.add(
        Operator.movement(node -> node.set(0, ElementType.BOOL, Shape.SCALAR)),
        "OptionalHasElement");
    table.add(Operator.view(SequenceOperators::setSame), "Optional", "OptionalGetElement");
    table.add(Operator.reduction(SequenceOperators::setCounts), "TfIdfVectorizer");
    table.add(
        Operator.reduction(
            node -> node.set(0, Shape.broadcastNullable(node.shape(0), node.shape(1)))),
        "StringConcat");
    table.add(
        Operator.reduction(node -> node.set(0, ElementType.BOOL, node.shape(0))), "RegexFullMatch");
  }

  private static void setSame(NodeView node) {
    TensorFact data = node.input(0);
    if (data != null) {
      node.set(0, data);
    }
  }

  /** One count an n-gram, at the places that {@code ngram_indexes} lists. */
  private static void setCounts(NodeView node) {
    Shape data = node.shape(0);
    long[] places = node.integers("ngram_indexes");
    if (data == null || places == null) {
      return;
    }
    long last = -1;
    for (long place : places) {
      last = Math.max(last, place);
    }
    node.set(
        0,
        ElementType.FLOAT,
        new Shape.Builder(2)
            .addAll(data, 0, Math.max(0, data.rank() - 1))
            .add(last + 1, false)
            .build());
  }
}
