package dev.cotenant.predictor.hybrid;

/**
 * What a run is expected to do before any correction: a formula with a few positive coefficients.
 * Immutable.
 */
sealed interface Prior permits UtilizationPrior, MemoryPrior {
  /** The target's logarithm for a run. */
  double log(Run run);

  /** Derivatives of {@link #log} by the logarithms of the coefficients. */
  double[] gradient(Run run);

  /** Logarithms of the coefficients, in the order of the record. */
  double[] logarithms();

  /**
   * How far the logarithm of each coefficient may well lie from a belief in it: one standard
   * deviation.
   */
  double[] deviations();

  /**
   * How much the logarithm of each coefficient differs between models, relative to the others; 0 is
   * the same for all models of a host.
   */
  double[] variations();

  /**
   * How far the logarithm may lie off on a host of which no run was measured, because of the host.
   */
  default StandardErrors hostUncertainty(Run run) {
    return StandardErrors.NONE;
  }

  /** How many of {@link Covariates} tell what it misses where many runs were measured. */
  default int covariates() {
    return Covariates.FIRST;
  }

  /** The same formula with other coefficients. */
  Prior withLogarithms(double[] logarithms);
}
