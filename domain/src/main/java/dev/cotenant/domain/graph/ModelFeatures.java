package dev.cotenant.domain.graph;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * What predictors learn from: the features of one model at one batch size that a graph reader and a
 * published profile both know.
 *
 * @param layers layer counts, independent of the batch
 * @param normalizations those of the other layers that normalise, such as batch and layer
 *     normalisation, also when an exporter has folded them away
 * @param parameters trainable elements
 * @param modelSize bytes of the parameters as stored
 * @param multiplyAccumulates multiply-accumulates of one forward pass over the whole batch
 *     (convolution, linear, matmul, einsum, attention, recurrent; no bias, no elementwise); FLOPs
 *     are twice this
 * @param activations bytes of all layer outputs of one forward pass over the whole batch
 * @param inputs bytes of the model's inputs for the whole batch, which are copied to the device
 * @param batchSize samples in the batch, at least 1
 * @param backward what training keeps of the forward pass
 * @param eager how it runs operator by operator
 * @param liveActivations the most bytes of intermediate tensors alive at once over a good order,
 *     for the whole batch; all activations where only layers are known
 */
public record ModelFeatures(
    LayerCounts layers,
    int normalizations,
    long parameters,
    MemorySize modelSize,
    long multiplyAccumulates,
    MemorySize activations,
    MemorySize inputs,
    int batchSize,
    BackwardMemory backward,
    EagerExecution eager,
    MemorySize liveActivations) {
  /** Where only layers are known: training is taken to keep the output of each. */
  @SuppressWarnings("TooManyParameters") // those of the record but the last
  public ModelFeatures(
      LayerCounts layers,
      int normalizations,
      long parameters,
      MemorySize modelSize,
      long multiplyAccumulates,
      MemorySize activations,
      MemorySize inputs,
      int batchSize) {
    this(
        layers,
        normalizations,
        parameters,
        modelSize,
        multiplyAccumulates,
        activations,
        inputs,
        batchSize,
        BackwardMemory.ofOutputs(activations),
        EagerExecution.ofLayers(layers, activations),
        activations);
  }

  public ModelFeatures {
    if (normalizations < 0 || normalizations > layers.other()) {
      throw new IllegalArgumentException(
          "normalizations must be among the "
              + layers.other()
              + " other layers, is "
              + normalizations);
    }
    if (parameters < 0) {
      throw new IllegalArgumentException("parameters must be at least 0, is " + parameters);
    }
    if (multiplyAccumulates < 0) {
      throw new IllegalArgumentException(
          "multiplyAccumulates must be at least 0, is " + multiplyAccumulates);
    }
    if (batchSize < 1) {
      throw new IllegalArgumentException("batchSize must be at least 1, is " + batchSize);
    }
  }

  /** Copy with backward-pass memory, if known. */
  public ModelFeatures with(BackwardMemory known) {
    return with(known, eager, liveActivations);
  }

  /** The same as far as layers tell: without what only the operators of a graph show. */
  public ModelFeatures ofLayers() {
    return with(
        BackwardMemory.ofOutputs(activations),
        EagerExecution.ofLayers(layers, activations),
        activations);
  }

  private ModelFeatures with(BackwardMemory saved, EagerExecution run, MemorySize live) {
    return new ModelFeatures(
        layers,
        normalizations,
        parameters,
        modelSize,
        multiplyAccumulates,
        activations,
        inputs,
        batchSize,
        saved,
        run,
        live);
  }

  /** Floating-point operations of one forward pass over the whole batch: 2 × MACs. */
  public double flops() {
    return 2.0 * multiplyAccumulates;
  }
}
