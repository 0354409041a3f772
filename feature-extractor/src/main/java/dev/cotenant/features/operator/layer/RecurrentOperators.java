package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.Work;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.OperatorTable;

/**
 * Recurrent layers. Each step and direction multiplies the input by W (gates × hidden, input) and
 * the state by R (gates × hidden, hidden). A cell counts as two linear layers and its gates as
 * activations [UtilPred, Table 2].
 */
public final class RecurrentOperators {
  private static final LayerCounts LSTM = new LayerCounts(0, 2, 5, 1);

  private RecurrentOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(recurrent(LSTM, 2), "LSTM");
    table.add(recurrent(LSTM, 1), MICROSOFT + "DynamicQuantizeLSTM");
    table.add(recurrent(new LayerCounts(0, 2, 3, 1), 2), "GRU");
    table.add(recurrent(new LayerCounts(0, 2, 1, 0), 2), "RNN");
    table.add(
        Operator.matrix(node -> setOutputs(node, 2), RecurrentOperators::attendedWork, LSTM)
            .countingLayers(RecurrentOperators::attendedLayers)
            .launching(RecurrentOperators::launches),
        MICROSOFT + "AttnLSTM");
  }

  /** The hidden size is axis 2 of R, or axis 1 where R is stored the other way round. */
  private static Operator recurrent(LayerCounts oneDirection, int hiddenAxis) {
    return Operator.matrix(
            node -> setOutputs(node, hiddenAxis),
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

  private static void setOutputs(NodeView node, int hiddenAxis) {
    Shape data = node.shape(0);
    Shape recurrence = node.shape(2);
    if (data == null || recurrence == null) {
      return;
    }
    long hidden = recurrence.extent(hiddenAxis);
    int directions = directions(node);
    boolean batchFirst = isBatchFirst(node);
    Shape samples = data.only(batchFirst ? 0 : 1);
    Shape state = batchFirst ? samples.append(directions) : Shape.of(directions).append(samples);
    Shape sequence = batchFirst ? data.slice(0, 2).append(directions) : data.only(0).append(state);
    node.set(0, sequence.append(hidden));
    Shape last = state.append(hidden);
    node.set(1, last);
    node.set(2, last);
  }

  private static Amount macs(NodeView node) {
    Shape data = node.shape(0);
    if (data == null || data.rank() < 2) {
      return Amount.UNKNOWN;
    }
    Amount weights = Amount.elements(node.shape(1)).plus(Amount.elements(node.shape(2)));
    return Amount.elements(data, 0, 2).times(weights);
  }

  /** Steps of one direction are sequential. */
  private static Amount launches(NodeView node) {
    Shape data = node.shape(0);
    if (data == null || data.rank() < 2) {
      return Amount.ONE;
    }
    Amount steps = Amount.extent(data, isBatchFirst(node) ? 1 : 0);
    return steps.isKnown() ? steps.times(directions(node)) : Amount.ONE;
  }

  /** The attention's softmax, and a linear layer for each of its weights. */
  private static LayerCounts attendedLayers(NodeView node) {
    int directions = directions(node);
    int linears = 2 + (node.has(8) ? 1 : 0) + (node.has(9) ? 1 : 0) + (node.has(13) ? 1 : 0);
    boolean attends = node.has(11);
    return times(
        new LayerCounts(0, linears, LSTM.activation() + (attends ? 1 : 0), LSTM.other()),
        directions);
  }

  /**
   * Steps of the cell, each with Bahdanau attention to a memory of (batch, positions, depth): the
   * query's weight (hidden, attention), the alignment (attention a position), the context (depth a
   * position) and the attention layer's weight. The memory is projected once [ONNX Runtime,
   * AttnLSTM].
   */
  private static Work attendedWork(NodeView node) {
    Work cell = Work.of(WorkClass.RECURRENT, macs(node));
    Shape data = node.shape(0);
    if (data == null || !node.has(11)) {
      return cell;
    }
    Shape memory = node.shape(11);
    Shape query = node.shape(8);
    if (memory == null || query == null) {
      return cell.and(WorkClass.ATTENTION, Amount.UNKNOWN);
    }
    Amount positions = Amount.extent(memory, 1);
    Amount alignment =
        positions.times(Extents.plus(query.extent(2), memory.extent(2))).times(query.extent(0));
    Amount layer = node.has(13) ? Amount.elements(node.shape(13)) : Amount.ZERO;
    Amount perStep = Amount.elements(query).plus(alignment).plus(layer);
    Amount projected =
        Amount.extent(data, 1).times(positions).times(Amount.elements(node.shape(9)));
    return cell.and(
        WorkClass.ATTENTION, Amount.elements(data, 0, 2).times(perStep).plus(projected));
  }
}
