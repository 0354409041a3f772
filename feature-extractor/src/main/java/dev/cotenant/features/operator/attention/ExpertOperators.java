package dev.cotenant.features.operator.attention;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.WorkRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.OperatorTable;
import java.util.function.ToLongFunction;

/**
 * Mixtures of experts: a token passes the weights of the k experts that are chosen for it, each of
 * two or three matrices.
 */
public final class ExpertOperators {
  private ExpertOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(experts(node -> 1, 2, 4, 6), MICROSOFT + "MoE");
    table.add(experts(ExpertOperators::weightsPerElement, 2, 5, 8), MICROSOFT + "QMoE");
  }

  /** Quantised weights share a byte: eight bits, two of four bits, or four of two. */
  private static long weightsPerElement(NodeView node) {
    return switch (node.text("quant_type")) {
      case "fp8" -> 1;
      case "fp4", "nvfp4", "wfp4afp8" -> 2;
      default -> 8 / Math.clamp(node.integer("expert_weight_bits", 4), 1, 8);
    };
  }

  private static Operator experts(ToLongFunction<NodeView> packing, int... weights) {
    return Operator.matrix(
            node -> node.set(0, node.shape(0)),
            WorkRule.of(WorkClass.LINEAR, node -> macs(node, packing.applyAsLong(node), weights)),
            new LayerCounts(0, 2, 1, 0))
        .countingLayers(node -> new LayerCounts(0, node.has(weights[2]) ? 3 : 2, 1, 0));
  }

  private static Amount macs(NodeView node, long packing, int... weights) {
    Shape data = node.shape(0);
    if (data == null || data.rank() == 0) {
      return Amount.UNKNOWN;
    }
    Amount each = Amount.ZERO;
    for (int input : weights) {
      Shape weight = node.shape(input);
      if (node.has(input)) {
        each =
            each.plus(weight == null ? Amount.UNKNOWN : Amount.elements(weight, 1, weight.rank()));
      }
    }
    return Amount.elements(data, 0, data.rank() - 1)
        .times(node.integer("k", 1))
        .times(each)
        .times(packing);
  }
}
