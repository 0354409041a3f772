package dev.cotenant.domain.graph;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * What the backward pass of a training step needs beside weights, for the whole batch.
 *
 * @param saved bytes of the tensors that the forward pass saves for it: inputs of convolutions,
 *     products, normalisations and pooling, outputs of activations whose slope follows from them,
 *     inputs of the others
 * @param convolution bytes that the largest convolution reads and writes, whose gradients and
 *     workspaces are alive at once; 0 without convolutions
 */
public record BackwardMemory(MemorySize saved, MemorySize convolution) {
  /** Without the operators: every layer's output is saved. */
  public static BackwardMemory ofOutputs(MemorySize activations) {
    return new BackwardMemory(activations, MemorySize.ZERO);
  }
}
