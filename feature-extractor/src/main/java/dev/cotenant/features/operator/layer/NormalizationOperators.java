package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.Fused;
import dev.cotenant.features.operator.OperatorTable;

/** Normalisation, dropout and fused embeddings. */
public final class NormalizationOperators {
  /** Word, position and segment embeddings and the normalisation. */
  private static final LayerCounts EMBEDDINGS = new LayerCounts(0, 0, 0, 4);

  private static final LayerCounts UNSEGMENTED = new LayerCounts(0, 0, 0, 3);

  private NormalizationOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.other(NormalizationOperators::setWithStatistics).runningAs(Kernel.POINTWISE),
        "BatchNormalization");
    table.add(
        Operator.other(NormalizationOperators::setWithMoments),
        "LayerNormalization",
        "SimplifiedLayerNormalization");
    table.add(
        Operator.other(node -> node.set(0, node.shape(0))),
        "InstanceNormalization",
        "GroupNormalization",
        "LpNormalization",
        "MeanVarianceNormalization",
        "LRN",
        MICROSOFT + "GatedRMSNorm",
        MICROSOFT + "QOrderedLayerNormalization");
    table.add(Operator.other(node -> node.set(0, node.type(1), node.shape(0))), "RMSNormalization");
    table.add(
        Fused.withActivation(Operator.other(node -> node.set(0, node.shape(0)))),
        MICROSOFT + "GroupNorm");
    table.add(
        Fused.withActivation(Operator.other(NormalizationOperators::setWithSum)),
        MICROSOFT + "SkipGroupNorm");
    table.add(
        Operator.other(NormalizationOperators::setSkipped),
        MICROSOFT + "SkipLayerNormalization",
        MICROSOFT + "SkipSimplifiedLayerNormalization");
    table.add(Operator.other(NormalizationOperators::setDropout).runningAs(Kernel.NONE), "Dropout");
    table.add(
        Operator.other(NormalizationOperators::setDropout).runningAs(Kernel.POINTWISE),
        MICROSOFT + "BiasDropout");
    table.add(
        Operator.other(ShapeRule.of(NormalizationOperators::setPackedDropout))
            .runningAs(Kernel.POINTWISE),
        MICROSOFT + "BitmaskDropout",
        MICROSOFT + "BitmaskBiasDropout");
    table.add(
        embedding(node -> setEmbedded(node, node.type(2))), MICROSOFT + "EmbedLayerNormalization");
    table.add(
        embedding(node -> setEmbedded(node, ElementType.FLOAT)),
        MICROSOFT + "QEmbedLayerNormalization");
  }

  /** The segments are optional. */
  private static Operator embedding(Operator.ShapeRule shape) {
    return Operator.layer(shape, EMBEDDINGS)
        .countingLayers(node -> node.inputCount() > 4 && !node.has(4) ? UNSEGMENTED : EMBEDDINGS);
  }

  private static void setWithSum(NodeView node) {
    node.set(0, node.shape(0));
    node.set(1, node.shape(0));
  }

  /** Means and variances, one a channel as the weight is. */
  private static void setWithStatistics(NodeView node) {
    node.set(0, node.shape(0));
    for (int i = 1; i < node.outputCount(); i++) {
      node.set(i, node.shape(1));
    }
  }

  /** Mean and inverse deviation keep the axes that are not normalised. */
  private static void setWithMoments(NodeView node) {
    node.set(0, node.shape(0));
    setMoments(node, node.integer("axis", -1));
  }

  private static void setMoments(NodeView node, long axis) {
    Shape data = node.shape(0);
    if (data == null) {
      return;
    }
    Shape moments = data;
    for (int i = data.axis(axis); i < data.rank(); i++) {
      moments = moments.with(i, 1, false);
    }
    node.set(1, ElementType.FLOAT, moments);
    node.set(2, ElementType.FLOAT, moments);
  }

  private static void setSkipped(NodeView node) {
    node.set(0, node.shape(0));
    setMoments(node, -1);
    node.set(3, node.shape(0));
  }

  private static void setDropout(NodeView node) {
    node.set(0, node.shape(0));
    node.set(1, ElementType.BOOL, node.shape(0));
  }

  /** The mask has a bit an element, in whole words of 32. */
  private static void setPackedDropout(NodeView node, Shape data) {
    long elements = data.elements();
    long words = elements < 0 ? Shape.UNKNOWN : Math.ceilDiv(elements, 32L);
    boolean scales = data.scaling() != 0;
    node.set(0, data);
    node.set(1, ElementType.UINT32, Shape.of(new long[] {words}, scales ? 1 : 0));
  }

  private static void setEmbedded(NodeView node, ElementType type) {
    Shape identifiers = node.shape(0);
    Shape table = node.shape(2);
    if (identifiers == null || table == null) {
      return;
    }
    Shape embedded = identifiers.slice(0, 2).append(table.only(1));
    node.set(0, type, embedded);
    node.set(2, type, embedded);
    node.set(1, ElementType.INT32, identifiers.only(0));
  }
}
