package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.Work;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;

/**
 * Attention to a window of W tokens on either side [Longformer, section 3.1]: two projections, the
 * local and the global one, and 2W + 1 keys a token. Tokens that attend to all others are chosen by
 * the data, few, and not counted.
 */
public final class LongformerOperators {
  private static final LayerCounts LAYERS = new LayerCounts(0, 2, 1, 0);

  private LongformerOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(windowed(1, 4), MICROSOFT + "LongformerAttention");
    table.add(windowed(2, 8), MICROSOFT + "QOrderedLongformerAttention");
  }

  private static Operator windowed(int weight, int globalWeight) {
    return Operator.matrix(
        node -> node.set(0, node.shape(0)), node -> work(node, weight, globalWeight), LAYERS);
  }

  private static Work work(NodeView node, int weight, int globalWeight) {
    Shape data = node.shape(0);
    long keys = Extents.plus(Extents.times(2, node.integer("window", Shape.UNKNOWN)), 1);
    Amount projections =
        ProjectedAttentionOperators.product(data, node.shape(weight))
            .plus(ProjectedAttentionOperators.product(data, node.shape(globalWeight)));
    return Work.of(WorkClass.LINEAR, projections)
        .and(WorkClass.ATTENTION, Amount.elements(data).times(2).times(keys));
  }
}
