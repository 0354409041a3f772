package dev.cotenant.predictor.layered;

import dev.cotenant.domain.graph.LayerCounts;

/**
 * Peak device memory of a training run as models of schema 3 and before tell it: from the outputs
 * of layers, not from what training keeps of them. Read, no longer fitted.
 *
 * @param contextMebibytes driver context and libraries
 * @param multiprocessorMebibytes what the context reserves for each multiprocessor
 * @param convolutionMebibytes what convolutions need however small they are
 * @param weightCopies weights, gradients and optimizer states, in sizes of the weights
 * @param matrixCopies layer outputs and their gradients without convolutions, in sizes of the
 *     outputs
 * @param convolutionCopies the same where all matrix layers are convolutions
 */
record OutputsMemoryPrior(
    double contextMebibytes,
    double multiprocessorMebibytes,
    double convolutionMebibytes,
    double weightCopies,
    double matrixCopies,
    double convolutionCopies)
    implements Prior {
  /** What is read from a file takes its place. */
  static final OutputsMemoryPrior ANY = new OutputsMemoryPrior(100, 12.5, 400, 4, 1, 1.5);

  /** A term that is not there, where all others are mebibytes. */
  private static final double NOTHING = 1e-9;

  /** Three copies with plain momentum, five with temporaries of the update. */
  private static final double WEIGHT_SPREAD = 0.25;

  /** From outputs alone to outputs and gradients. */
  private static final double ACTIVATION_SPREAD = 0.35;

  private static final double RESERVE_SPREAD = 0.3;

  /** A factor of two: versions of driver and libraries differ that much. */
  private static final double LIBRARY_SPREAD = 0.7;

  /** The formula of files of schema 2. */
  static OutputsMemoryPrior ofOldLogarithms(double context, double weights, double activations) {
    return new OutputsMemoryPrior(
        Math.exp(context),
        NOTHING,
        NOTHING,
        Math.exp(weights),
        Math.exp(activations),
        Math.exp(activations));
  }

  /** Natural logarithm of the peak in MiB. */
  @Override
  public double log(Run run) {
    return Math.log(mebibytes(run));
  }

  private double mebibytes(Run run) {
    return contextMebibytes
        + multiprocessorMebibytes * run.device().streamingMultiprocessors()
        + convolutionMebibytes * convolves(run)
        + weightCopies * run.model().modelSize().toMiB()
        + activations(run);
  }

  private double activations(Run run) {
    double share = convolutionShare(run);
    double copies = Math.pow(matrixCopies, 1 - share) * Math.pow(convolutionCopies, share);
    return copies * run.model().activations().toMiB();
  }

  private static double convolves(Run run) {
    return run.model().layers().convolution() > 0 ? 1 : 0;
  }

  private static double convolutionShare(Run run) {
    LayerCounts layers = run.model().layers();
    double matrices = (double) layers.convolution() + layers.linear();
    return matrices == 0 ? 0 : layers.convolution() / matrices;
  }

  @Override
  public double[] gradient(Run run) {
    double whole = mebibytes(run);
    double activations = activations(run) / whole;
    double share = convolutionShare(run);
    return new double[] {
      contextMebibytes / whole,
      multiprocessorMebibytes * run.device().streamingMultiprocessors() / whole,
      convolutionMebibytes * convolves(run) / whole,
      weightCopies * run.model().modelSize().toMiB() / whole,
      (1 - share) * activations,
      share * activations
    };
  }

  @Override
  public double[] logarithms() {
    return new double[] {
      Math.log(contextMebibytes),
      Math.log(multiprocessorMebibytes),
      Math.log(convolutionMebibytes),
      Math.log(weightCopies),
      Math.log(matrixCopies),
      Math.log(convolutionCopies)
    };
  }

  @Override
  public double[] spreads() {
    return new double[] {
      LIBRARY_SPREAD,
      RESERVE_SPREAD,
      LIBRARY_SPREAD,
      WEIGHT_SPREAD,
      ACTIVATION_SPREAD,
      ACTIVATION_SPREAD
    };
  }

  /** Contexts are the host's. */
  @Override
  public double[] variations() {
    return new double[] {0, 0, LIBRARY_SPREAD, WEIGHT_SPREAD, ACTIVATION_SPREAD, ACTIVATION_SPREAD};
  }

  @Override
  public Prior withLogarithms(double[] logarithms) {
    return new OutputsMemoryPrior(
        Math.exp(logarithms[0]),
        Math.exp(logarithms[1]),
        Math.exp(logarithms[2]),
        Math.exp(logarithms[3]),
        Math.exp(logarithms[4]),
        Math.exp(logarithms[5]));
  }
}
