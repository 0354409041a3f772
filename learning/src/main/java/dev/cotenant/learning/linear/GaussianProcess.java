package dev.cotenant.learning.linear;

import java.util.Arrays;
import java.util.Optional;

/**
 * Regression by a Gaussian process with a given covariance of the training rows.
 *
 * <p>Mean and standard deviation of the underlying function, the mean of the targets being its
 * prior mean unless one is given. Cholesky, O(n³) to fit and O(n²) for a deviation.
 */
public final class GaussianProcess {
  private final PositiveDefinite covariance;
  private final double[] weights;
  private final double priorMean;
  private final double logLikelihood;

  private GaussianProcess(
      PositiveDefinite covariance, double[] weights, double priorMean, double logLikelihood) {
    this.covariance = covariance;
    this.weights = weights;
    this.priorMean = priorMean;
    this.logLikelihood = logLikelihood;
  }

  /**
   * Fits.
   *
   * @param covariance of the targets, noise included; its lower half is read
   * @param targets one a row
   * @param priorMean prediction far from every row
   * @return empty when the covariance is singular
   */
  public static Optional<GaussianProcess> fit(
      double[][] covariance, double[] targets, double priorMean) {
    double[] centred = Arrays.stream(targets).map(target -> target - priorMean).toArray();
    return PositiveDefinite.of(covariance)
        .map(matrix -> fit(matrix, centred, priorMean))
        .filter(process -> LeastSquares.finite(process.weights));
  }

  private static GaussianProcess fit(
      PositiveDefinite covariance, double[] centred, double priorMean) {
    double[] weights = covariance.solve(centred);
    double logLikelihood =
        -(PositiveDefinite.dot(centred, weights) + covariance.logDeterminant()) / 2;
    return new GaussianProcess(covariance, weights, priorMean, logLikelihood);
  }

  /** The mean at a point with these covariances to the training rows. */
  public double mean(double[] covariances) {
    return priorMean + PositiveDefinite.dot(covariances, weights);
  }

  /**
   * The standard deviation of the function at a point.
   *
   * @param covariances to the training rows
   * @param variance prior variance at the point
   */
  public double deviation(double[] covariances, double variance) {
    return Math.sqrt(Math.max(0, variance - covariance.inverseSquare(covariances)));
  }

  /**
   * How far each target lies from what the other rows say of it, and the deviation that they
   * expect: residual α_i / (K⁻¹)_ii and deviation (K⁻¹)_ii^(-1/2), O(n³).
   */
  public LeftOut[] leaveOneOut() {
    double[][] inverse = covariance.inverse();
    LeftOut[] result = new LeftOut[weights.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = new LeftOut(weights[i] / inverse[i][i], 1 / Math.sqrt(inverse[i][i]));
    }
    return result;
  }

  /** Leave-one-out prediction of one row. */
  public record LeftOut(double residual, double deviation) {}

  /** Logarithm of the marginal likelihood, up to a constant of the number of rows. */
  public double logLikelihood() {
    return logLikelihood;
  }
}
