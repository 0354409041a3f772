package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.ChannelOrder;
import dev.cotenant.features.operator.Extents;
import dev.cotenant.features.operator.Fused;
import dev.cotenant.features.operator.OperatorTable;

/**
 * What surrounds linear attention: gates, and a depthwise convolution along the sequence that
 * carries its last inputs from call to call.
 */
public final class GatingOperators {
  private static final LayerCounts NORMALIZED_GATE = new LayerCounts(0, 0, 1, 2);
  private static final LayerCounts CONVOLUTION = new LayerCounts(1, 0, 0, 0);

  private static final WorkRule WORK =
      WorkRule.of(WorkClass.DEPTHWISE_CONVOLUTION, GatingOperators::macs);

  private GatingOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.layer(GatingOperators::setDecay, new LayerCounts(0, 0, 1, 0))
            .countingLayers(node -> new LayerCounts(0, 0, node.has(3) ? 2 : 1, 0)),
        MICROSOFT + "LinearAttentionGate");
    table.add(Operator.layer(GatingOperators::setBoth, NORMALIZED_GATE), MICROSOFT + "EngramGate");
    table.add(
        Fused.withActivation(Operator.matrix(GatingOperators::setConvolved, WORK, CONVOLUTION)),
        MICROSOFT + "CausalConvWithState");
    table.add(
        Fused.withActivation(Operator.matrix(GatingOperators::setPacked, WORK, CONVOLUTION)),
        MICROSOFT + "VarlenCausalConvWithState");
  }

  private static void setDecay(NodeView node) {
    node.set(0, node.shape(0));
    if (node.has(3)) {
      node.set(1, node.type(3), node.shape(3));
    }
  }

  private static void setBoth(NodeView node) {
    node.set(0, node.shape(0));
    node.set(1, node.shape(0));
  }

  /** Every element costs the kernel, whose shape is (channels, 1, kernel…). */
  private static Amount macs(NodeView node) {
    Shape kernel = node.shape(1);
    return kernel == null || kernel.rank() < 2
        ? Amount.UNKNOWN
        : Amount.elements(node.shape(0)).times(Amount.elements(kernel, 2, kernel.rank()));
  }

  private static long stateLength(NodeView node, Shape kernel) {
    long last = kernel.extent(-1);
    long dilation = node.integer("dilation", 1);
    if (last == 0 || dilation < 1) {
      throw new ShapeMismatch("a kernel of " + kernel + " with a dilation of " + dilation);
    }
    return last < 0 ? last : Extents.times(last - 1, dilation);
  }

  /** The state is the input but for its length, the last axis or, channels last, axis 1. */
  private static void setConvolved(NodeView node) {
    node.set(0, node.shape(0));
    Shape data = node.shape(0);
    Shape kernel = node.shape(1);
    if (data == null || kernel == null) {
      return;
    }
    int axis = ChannelOrder.of(node) == ChannelOrder.LAST ? 1 : data.rank() - 1;
    Shape state = data.with(axis, stateLength(node, kernel), false);
    long window = node.integer("state_window", 0);
    node.set(1, window > 0 ? Shape.of(window).append(state) : state);
  }

  private static void setPacked(NodeView node) {
    Shape data = node.shape(0);
    Shape state = node.shape(4);
    node.set(0, data);
    node.set(1, state);
    if (data != null && state != null) {
      long capacity = Math.max(0, node.integer("state_update_capacity", 0));
      node.set(2, state.only(0).append(capacity).append(data.only(1)));
    }
  }
}
