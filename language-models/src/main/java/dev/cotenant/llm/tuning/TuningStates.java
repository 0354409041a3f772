package dev.cotenant.llm.tuning;

/**
 * Where the states of trained parameters are, and which an optimizer adds.
 *
 * @param optimizer whose moments they hold
 * @param offloadsMoments whether moments, and values in fp32 beside weights in 16 bits, are in the
 *     host's memory [Ren et al., ZeRO-Offload, 2021]
 * @param offloadsWeights whether weights are there as well, but for those of the layer that runs
 */
public record TuningStates(
    TuningOptimizer optimizer, boolean offloadsMoments, boolean offloadsWeights) {
  /** Adam's, on the GPU. */
  public static final TuningStates ADAM = new TuningStates(TuningOptimizer.ADAM, false, false);

  /**
   * Bytes of a trained parameter on the GPU.
   *
   * @param withAdam with Adam's moments, on the GPU
   * @param valueBytes bytes of the moments' type
   * @param masterBytes of its value beside the weight that computes
   */
  double bytes(double withAdam, double valueBytes, double masterBytes) {
    double others = withAdam - TuningOptimizer.ADAM.momentBytes(valueBytes);
    return offloadsMoments ? others - masterBytes : others + optimizer.momentBytes(valueBytes);
  }
}
