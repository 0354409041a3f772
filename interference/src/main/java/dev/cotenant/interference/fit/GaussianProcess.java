package dev.cotenant.interference.fit;

import java.util.Optional;

/**
 * Regression by a Gaussian process with a given covariance of the training rows.
 *
 * <p>Mean and standard deviation of the underlying function, the mean of the targets being its
 * prior mean unless one is given. Cholesky, O(n³) to fit and O(n²) for a deviation.
 */
public final class GaussianProcess {
  private final double[][] lower;
  private final double[] weights;
  private final double priorMean;
  private final double logLikelihood;

  private GaussianProcess(
      double[][] lower, double[] weights, double priorMean, double logLikelihood) {
    this.lower = lower;
    this.weights = weights;
    this.priorMean = priorMean;
    this.logLikelihood = logLikelihood;
  }

  /**
   * Fits.
   *
   * @param covariance of the targets, noise included; its lower half is overwritten
   * @param targets one a row
   * @param priorMean what is expected far from every row
   * @return empty when the covariance is singular
   */
  public static Optional<GaussianProcess> fit(
      double[][] covariance, double[] targets, double priorMean) {
    int n = targets.length;
    if (!Cholesky.factor(covariance)) {
      return Optional.empty();
    }
    double logDeterminant = 0;
    for (int i = 0; i < n; i++) {
      logDeterminant += Math.log(covariance[i][i]);
    }
    double[] centred = new double[n];
    for (int i = 0; i < n; i++) {
      centred[i] = targets[i] - priorMean;
    }
    Cholesky.forward(covariance, centred);
    double fitTerm = Cholesky.dot(centred, centred, n);
    Cholesky.backward(covariance, centred);
    return LeastSquares.finite(centred)
        ? Optional.of(
            new GaussianProcess(covariance, centred, priorMean, -fitTerm / 2 - logDeterminant))
        : Optional.empty();
  }

  /** The mean at a point with these covariances to the training rows. */
  public double mean(double[] covariances) {
    return priorMean + Cholesky.dot(covariances, weights, weights.length);
  }

  /**
   * The standard deviation of the function at a point.
   *
   * @param covariances to the training rows
   * @param variance prior variance at the point
   */
  public double deviation(double[] covariances, double variance) {
    double[] solved = covariances.clone();
    Cholesky.forward(lower, solved);
    return Math.sqrt(Math.max(0, variance - Cholesky.dot(solved, solved, solved.length)));
  }

  /**
   * How far each target lies from what the other rows say of it, and the deviation that they
   * expect: residual α_i / (K⁻¹)_ii and deviation (K⁻¹)_ii^(-1/2), O(n³).
   */
  public LeftOut[] leaveOneOut() {
    LeftOut[] result = new LeftOut[weights.length];
    for (int i = 0; i < result.length; i++) {
      double[] unit = new double[result.length];
      unit[i] = 1;
      Cholesky.forward(lower, unit);
      double inverse = Cholesky.dot(unit, unit, unit.length);
      result[i] = new LeftOut(weights[i] / inverse, 1 / Math.sqrt(inverse));
    }
    return result;
  }

  /** One row as the others see it. */
  public record LeftOut(double residual, double deviation) {}

  /** Logarithm of the marginal likelihood, up to a constant of the number of rows. */
  public double logLikelihood() {
    return logLikelihood;
  }
}
