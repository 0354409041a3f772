package dev.cotenant.features.operator.layer;

import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.OperatorTable;

/** Losses, and the optimizers of {@code ai.onnx.preview.training}. */
public final class TrainingOperators {
  private static final String TRAINING = "ai.onnx.preview.training:";

  private TrainingOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.other(TrainingOperators::setLoss),
        "NegativeLogLikelihoodLoss",
        "SoftmaxCrossEntropyLoss");
    table.add(
        Operator.reduction(TrainingOperators::setUpdated),
        TRAINING + "Adagrad",
        TRAINING + "Adam",
        TRAINING + "Momentum");
  }

  private static void setLoss(NodeView node) {
    boolean reduces = !node.text("reduction").equals("none");
    node.set(0, reduces ? Shape.SCALAR : node.shape(1));
    node.set(1, node.shape(0));
  }

  /**
   * After rate and step come the weights, as many gradients, and the states; all but those go on.
   */
  private static void setUpdated(NodeView node) {
    int weights = node.inputCount() - 2 - node.outputCount();
    if (weights < 1) {
      throw new ShapeMismatch(node.inputCount() + " inputs for " + node.outputCount() + " outputs");
    }
    for (int i = 0; i < node.outputCount(); i++) {
      int input = i < weights ? 2 + i : 2 + weights + i;
      node.set(i, node.type(input), node.shape(input));
    }
  }
}
