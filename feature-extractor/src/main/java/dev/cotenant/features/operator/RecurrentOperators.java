package dev.cotenant.features.operator;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;

/**
 * Recurrent layers. Each step and direction multiplies the input by W (gates × hidden, input) and
 * the state by R (gates × hidden, hidden). A cell counts as two linear layers and its gates as
 * activations [UtilPred, Table 2].
 */
final class RecurrentOperators {
  private RecurrentOperators() {}

  static void addTo(OperatorTable table) {
    table.add(recurrent(new LayerCounts(0, 2, 5, 1)), "LSTM");
    table.add(recurrent(new LayerCounts(0, 2, 3, 1)), "GRU");
    table.add(recurrent(new LayerCounts(0, 2, 1, 0)), "RNN");
  }

  private static Operator recurrent(LayerCounts oneDirection) {
    return Operator.matrix(
            RecurrentOperators::setOutputs,
            WorkRule.of(WorkClass.RECURRENT, RecurrentOperators::macs),
            oneDirection)
        .countingLayers(node -> times(oneDirection, directions(node)))
        .launching(RecurrentOperators::launches);
  }

  private static LayerCounts times(LayerCounts counts, int directions) {
    return new LayerCounts(
        0,
        counts.linear() * directions,
        counts.activation() * directions,
        counts.other() * directions);
  }

  private static int directions(NodeView node) {
    return node.text("direction").equals("bidirectional") ? 2 : 1;
  }

  private static boolean isBatchFirst(NodeView node) {
    return node.integer("layout", 0) == 1;
  }

  private static void setOutputs(NodeView node) {
    Shape data = node.shape(0);
    Shape recurrence = node.shape(2);
    if (data == null || recurrence == null) {
      return;
    }
    long hidden = recurrence.extent(2);
    int directions = directions(node);
    Shape.Builder sequence = new Shape.Builder(4);
    Shape.Builder state = new Shape.Builder(3);
    if (isBatchFirst(node)) {
      sequence.addAll(data, 0, 2).add(directions, false);
      state.addAll(data, 0, 1).add(directions, false);
    } else {
      sequence.addAll(data, 0, 1).add(directions, false).addAll(data, 1, 2);
      state.add(directions, false).addAll(data, 1, 2);
    }
    node.set(0, sequence.add(hidden, false).build());
    Shape last = state.add(hidden, false).build();
    node.set(1, last);
    node.set(2, last);
  }

  private static Amount macs(NodeView node) {
    Shape data = node.shape(0);
    if (data == null) {
      return Amount.UNKNOWN;
    }
    Amount weights = Amount.elements(node.shape(1)).plus(Amount.elements(node.shape(2)));
    return Amount.elements(data, 0, 2).times(weights);
  }

  /** A step of one direction has to wait for the one before. */
  private static Amount launches(NodeView node) {
    Shape data = node.shape(0);
    Amount steps = Amount.extent(data, isBatchFirst(node) ? 1 : 0);
    return steps.isKnown() ? steps.times(directions(node)) : Amount.ONE;
  }
}
