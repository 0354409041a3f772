package dev.cotenant.domain.graph;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * How one forward pass of a model over the whole batch runs operator by operator, as eager
 * frameworks run it: nothing is fused, and a batch normalisation that an exporter has folded into a
 * convolution is an operator of its own.
 *
 * @param operators operators that run on the device, whatever the batch
 * @param timeSteps time steps of recurrent layers and directions, each dependent on the preceding
 *     one
 * @param moved bytes of inputs and computed tensors that operators read and write, at the element
 *     size of the graph; weights excluded
 * @param matrixOutputs elements that convolutions and matrix products write
 * @param winogradMacs multiply-accumulates of dense 3×3 convolutions of stride 1, which fp32
 *     libraries compute by Winograd's algorithm
 */
public record EagerExecution(
    long operators, long timeSteps, MemorySize moved, long matrixOutputs, long winogradMacs) {
  /** Bytes that operators move for each byte that layers write: conv + norm + ReLU, residuals. */
  private static final double MOVED_PER_OUTPUT = 2.2;

  private static final int BYTES_PER_ELEMENT = 4;

  public EagerExecution {
    for (long count : new long[] {operators, timeSteps, matrixOutputs, winogradMacs}) {
      if (count < 0) {
        throw new IllegalArgumentException("counts must be at least 0, one is " + count);
      }
    }
  }

  /** Estimate from layers only: each is an operator that reads as much as it writes. */
  static EagerExecution ofLayers(LayerCounts layers, MemorySize activations) {
    long matrix = (long) layers.convolution() + layers.linear();
    long total = matrix + layers.activation() + layers.other();
    double matrixShare = (double) matrix / Math.max(1, total);
    double moved = Math.min(activations.bytes() * MOVED_PER_OUTPUT, Long.MAX_VALUE);
    long outputs = (long) (matrixShare * activations.bytes() / BYTES_PER_ELEMENT);
    return new EagerExecution(total, 0, MemorySize.ofBytes((long) moved), outputs, 0);
  }
}
