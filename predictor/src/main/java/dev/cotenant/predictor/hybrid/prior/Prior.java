package dev.cotenant.predictor.hybrid.prior;

/**
 * Expected behaviour of a run before corrections: a formula with a few positive coefficients.
 * Immutable.
 */
public sealed interface Prior permits UtilizationPrior, MemoryPrior {
  /** The target's logarithm for a run. */
  double log(Run run);

  /** Derivatives of {@link #log} by the logarithms of the coefficients. */
  double[] gradient(Run run);

  /** Positive coefficients in the order of the record. */
  double[] coefficients();

  /** Their logarithms. */
  default double[] logarithms() {
    double[] values = coefficients();
    for (int k = 0; k < values.length; k++) { // a lambda would cost a new virtual machine 20 ms
      values[k] = Math.log(values[k]);
    }
    return values;
  }

  /**
   * How far the logarithm of each coefficient may well lie from a belief in it: one standard
   * deviation.
   */
  double[] deviations();

  /**
   * Relative variation of each coefficient's logarithm between models; 0 for a constant across all
   * models of a host.
   */
  double[] variations();

  /** Uncertainty of the logarithm from an unmeasured host. */
  default StandardErrors hostUncertainty(Run run) {
    return StandardErrors.NONE;
  }

  /** Whether corrections that measured training runs taught apply to a run. */
  boolean isCorrected(Run run);

  /** The run whose corrections apply: same model, same device. */
  default Run correctedLike(Run run) {
    return run;
  }

  /** The least that the target's logarithm can be, whatever corrections say. */
  default double least(Run run) {
    return Double.NEGATIVE_INFINITY;
  }

  /** How many of {@link Covariates} tell what it misses where many runs were measured. */
  default int covariates() {
    return Covariates.FIRST;
  }

  /** Copy with different coefficients. */
  Prior withCoefficients(double[] values);

  /** Copy with coefficients of these logarithms. */
  default Prior withLogarithms(double[] logarithms) {
    double[] values = new double[logarithms.length];
    for (int k = 0; k < values.length; k++) {
      values[k] = Math.exp(logarithms[k]);
    }
    return withCoefficients(values);
  }
}
