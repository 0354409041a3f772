package dev.cotenant.features.operator;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;

/**
 * Attention to a window of W tokens on either side [Longformer, section 3.1]: two projections, the
 * local and the global one, and 2W + 1 keys a token. Tokens that attend to all others are chosen by
 * the data, few, and not counted.
 */
final class LongformerOperators {
  private static final LayerCounts LAYERS = new LayerCounts(0, 2, 1, 0);

  private LongformerOperators() {}

  static void addTo(OperatorTable table) {
    table.add(windowed(1, 4), MICROSOFT + "LongformerAttention");
    table.add(windowed(2, 8), MICROSOFT + "QOrderedLongformerAttention");
  }

  private static Operator windowed(int weight, int globalWeight) {
    return Operator.matrix(
        node -> node.set(0, node.shape(0)), node -> macs(node, weight, globalWeight), LAYERS);
  }

  private static long macs(NodeView node, int weightInput, int globalInput) {
    Shape data = node.shape(0);
    Shape weight = node.shape(weightInput);
    Shape global = node.shape(globalInput);
    if (data == null || weight == null || global == null) {
      return Shape.UNKNOWN;
    }
    long keys = Extents.plus(Extents.times(2, node.integer("window", Shape.UNKNOWN)), 1);
    return Extents.plus(
        ProjectedAttentionOperators.product(node, data, weight),
        ProjectedAttentionOperators.product(node, data, global),
        Extents.times(2, node.scale().elements(data), keys));
  }
}
