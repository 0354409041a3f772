package dev.cotenant.features.operator;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;

/** An operator that an optimizer merged with the activation after it, which an attribute names. */
public final class Fused {
  private Fused() {}

  /** The operator and, where its node names one, an activation. */
  public static Operator withActivation(Operator operator) {
    return operator.countingLayers(node ->
        hasActivation(node)
            ? plusActivation(operator.layers().count(node))
            : operator.layers().count(node));
  }

  private static LayerCounts plusActivation(LayerCounts counts) {
    return new LayerCounts(
        counts.convolution(), counts.linear(), counts.activation() + 1, counts.other());
  }

  /** Most name it, normalisations number it and 0 is none. */
  private static boolean hasActivation(NodeView node) {
    Attribute activation = node.attribute("activation");
    if (activation == null) {
      return false;
    }
    String name = activation.text();
    return name.isEmpty() ? activation.integer() != 0 : !name.equalsIgnoreCase("none");
  }
}
