package dev.cotenant.learning.linear;

import java.util.Optional;
import org.hipparchus.exception.MathIllegalArgumentException;
import org.hipparchus.exception.MathIllegalStateException;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.QRDecomposition;
import org.hipparchus.linear.RealVector;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresBuilder;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresOptimizer;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LevenbergMarquardtOptimizer;
import org.hipparchus.optim.nonlinear.vector.leastsquares.MultivariateJacobianFunction;
import org.hipparchus.util.Pair;

/**
 * The seam to Hipparchus: linear least squares by QR, nonlinear by Levenberg and Marquardt.
 *
 * <p>A fit that does not exist (singular, not finite, not converged) is an empty answer.
 */
public final class LeastSquares {
  private static final double SINGULAR = 1e-11;

  private LeastSquares() {}

  /** Residuals and their derivatives at some parameters. */
  public interface Residuals {
    /**
     * Fills in what holds at {@code parameters}.
     *
     * @param residuals one a point
     * @param jacobian one row a point, one column a parameter
     */
    void evaluate(double[] parameters, double[] residuals, double[][] jacobian);
  }

  /**
   * When a descent ends.
   *
   * @param evaluations most evaluations, after which there is no answer
   * @param tolerance relative change of cost or parameters
   * @param costTolerance relative change of the cost alone
   */
  public record Stop(int evaluations, double tolerance, double costTolerance) {
    /** As exact as numbers let it be. */
    public static final Stop EXACT = new Stop(300, 1e-9, 0);

    private boolean isReached(double before, double after) {
      return costTolerance > 0 && Math.abs(before - after) <= costTolerance * before;
    }
  }

  /**
   * Where a descent ended.
   *
   * @param cost root of the sum of squared residuals
   * @param residuals one a point
   * @param jacobian of the residuals, one row a point
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  public record Solution(
      double[] parameters, double cost, double[] residuals, double[][] jacobian) {
    /**
     * (J'J)⁻¹: how well the points determine the parameters, in units of a residual's variance.
     *
     * @throws IllegalStateException when they do not
     */
    public double[][] covariance() {
      Array2DRowRealMatrix slopes = new Array2DRowRealMatrix(jacobian, false);
      return PositiveDefinite.of(slopes.transposeMultiply(slopes).getData())
          .orElseThrow(() -> new IllegalStateException("the points determine no parameters"))
          .inverse();
    }
  }

  /** The coefficients of least squared error; empty when the columns do not determine them. */
  public static Optional<double[]> linear(double[][] rows, double[] targets) {
    if (rows.length == 0 || rows.length < rows[0].length) {
      return Optional.empty();
    }
    QRDecomposition qr = new QRDecomposition(new Array2DRowRealMatrix(rows, false), SINGULAR);
    if (!qr.getSolver().isNonSingular()) {
      return Optional.empty();
    }
    double[] found = qr.getSolver().solve(new ArrayRealVector(targets, false)).toArray();
    return finite(found) ? Optional.of(found) : Optional.empty();
  }

  /**
   * Descends from {@code start}; empty when it leads nowhere finite.
   *
   * @param points number of residuals
   */
  public static Optional<Solution> descend(
      Residuals problem, double[] start, int points, Stop stop) {
    MultivariateJacobianFunction model = point -> evaluate(problem, point.toArray(), points);
    try {
      LeastSquaresOptimizer.Optimum optimum =
          new LevenbergMarquardtOptimizer()
              .withCostRelativeTolerance(stop.tolerance())
              .withParameterRelativeTolerance(stop.tolerance())
              .optimize(
                  new LeastSquaresBuilder()
                      .start(start)
                      .model(model)
                      .target(new double[points])
                      .checker(
                          (_, before, after) -> stop.isReached(before.getCost(), after.getCost()))
                      .lazyEvaluation(false)
                      .maxEvaluations(stop.evaluations())
                      .maxIterations(stop.evaluations())
                      .build());
      double[] found = optimum.getPoint().toArray();
      return finite(found) && Double.isFinite(optimum.getCost())
          ? Optional.of(
              new Solution(
                  found,
                  optimum.getCost(),
                  optimum.getResiduals().toArray(),
                  optimum.getJacobian().getData()))
          : Optional.empty();
    } catch (MathIllegalStateException | MathIllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static Pair<RealVector, org.hipparchus.linear.RealMatrix> evaluate(
      Residuals problem, double[] parameters, int points) {
    double[] residuals = new double[points];
    double[][] jacobian = new double[points][parameters.length];
    problem.evaluate(parameters, residuals, jacobian);
    return new Pair<>(
        new ArrayRealVector(residuals, false), new Array2DRowRealMatrix(jacobian, false));
  }

  static boolean finite(double[] values) {
    for (double value : values) {
      if (!Double.isFinite(value)) {
        return false;
      }
    }
    return true;
  }
}
