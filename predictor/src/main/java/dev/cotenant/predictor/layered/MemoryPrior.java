package dev.cotenant.predictor.layered;

/**
 * Peak device memory of a training run: what the process needs anyway, weights with their gradients
 * and moments, and the activations that the backward pass waits for.
 *
 * @param contextMebibytes driver context, libraries and workspaces
 * @param weightCopies weights, gradients and optimizer states, in sizes of the weights
 * @param activationCopies layer outputs and their gradients, in sizes of the outputs
 */
record MemoryPrior(double contextMebibytes, double weightCopies, double activationCopies)
    implements Prior {
  /**
   * Adam keeps weights, gradients and two moments; outputs are kept once. The smallest runs of
   * GPUMemNet peak at 1,443 MiB.
   */
  static final MemoryPrior TYPICAL = new MemoryPrior(1440, 4, 1);

  /** Natural logarithm of the peak in MiB. */
  @Override
  public double log(Run run) {
    return Math.log(mebibytes(run));
  }

  private double mebibytes(Run run) {
    return contextMebibytes
        + weightCopies * run.model().modelSize().toMiB()
        + activationCopies * run.model().activations().toMiB();
  }

  @Override
  public double[] gradient(Run run) {
    double whole = mebibytes(run);
    return new double[] {
      contextMebibytes / whole,
      weightCopies * run.model().modelSize().toMiB() / whole,
      activationCopies * run.model().activations().toMiB() / whole
    };
  }

  @Override
  public double[] logarithms() {
    return new double[] {
      Math.log(contextMebibytes), Math.log(weightCopies), Math.log(activationCopies)
    };
  }

  @Override
  public Prior withLogarithms(double[] logarithms) {
    return new MemoryPrior(
        Math.exp(logarithms[0]), Math.exp(logarithms[1]), Math.exp(logarithms[2]));
  }
}
