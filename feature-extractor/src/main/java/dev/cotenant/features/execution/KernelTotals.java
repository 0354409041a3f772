package dev.cotenant.features.execution;

import dev.cotenant.features.inference.Amount;

/**
 * What the kernels of a graph add up to, as functions of the batch.
 *
 * @param kernels kernels launched, after fusion
 * @param depth kernels on the longest path of dependencies
 * @param width the most kernels that have the same number of kernels before them on their longest
 *     path: how many could run side by side
 * @param activationsRead bytes of computed tensors and inputs that kernels read
 * @param activationsWritten bytes of tensors that kernels write
 * @param constantsRead bytes of stored tensors that kernels read
 * @param operators operators that run one by one where nothing is fused
 * @param timeSteps time steps of recurrent layers, each dependent on the preceding one
 * @param moved bytes of computed tensors and inputs that these read and write
 */
public record KernelTotals(
    Amount kernels,
    Amount depth,
    int width,
    Amount activationsRead,
    Amount activationsWritten,
    Amount constantsRead,
    Amount operators,
    Amount timeSteps,
    Amount moved) {
  public static final KernelTotals NONE =
      new KernelTotals(
          Amount.ZERO,
          Amount.ZERO,
          0,
          Amount.ZERO,
          Amount.ZERO,
          Amount.ZERO,
          Amount.ZERO,
          Amount.ZERO,
          Amount.ZERO);

  /** These, and others after them. */
  public KernelTotals then(KernelTotals others) {
    return new KernelTotals(
        kernels.plus(others.kernels),
        depth.plus(others.depth),
        Math.max(width, others.width),
        activationsRead.plus(others.activationsRead),
        activationsWritten.plus(others.activationsWritten),
        constantsRead.plus(others.constantsRead),
        operators.plus(others.operators),
        timeSteps.plus(others.timeSteps),
        moved.plus(others.moved));
  }

  /** Copy repeated sequentially. */
  public KernelTotals times(Amount times) {
    return new KernelTotals(
        kernels.times(times),
        depth.times(times),
        width,
        activationsRead.times(times),
        activationsWritten.times(times),
        constantsRead.times(times),
        operators.times(times),
        timeSteps.times(times),
        moved.times(times));
  }
}
