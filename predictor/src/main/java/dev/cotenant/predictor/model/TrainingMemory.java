package dev.cotenant.predictor.model;

import dev.cotenant.domain.graph.ModelFeatures;

/**
 * What training a model must hold at once, from its graph: the scale that the memory forest
 * corrects.
 *
 * <p>Context + 4 × weights + 2 × activations: weights, gradients and the two moments of Adam; each
 * layer output and its gradient. A forest cannot answer beyond what it has seen; with this scale
 * taken out, what is left to learn (workspaces, reuse of buffers, allocator rounding) carries over
 * to larger models and other families: a forest of perceptrons is within a factor of 1.4 on most
 * convolutional networks, where the forest of plain bytes is off by a factor of four.
 */
final class TrainingMemory {
  /** The smallest runs of GPUMemNet, models of a few kilobytes, peak at 1,443 MiB. */
  private static final double CONTEXT_MIB = 1440;

  private static final double WEIGHT_COPIES = 4;
  private static final double ACTIVATION_COPIES = 2;

  private TrainingMemory() {}

  /** In MiB; positive and finite. */
  static double mebibytes(ModelFeatures model) {
    return CONTEXT_MIB
        + WEIGHT_COPIES * model.modelSize().toMiB()
        + ACTIVATION_COPIES * model.activations().toMiB();
  }
}
