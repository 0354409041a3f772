package dev.cotenant.interference.fit;

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
  private static final int MAX_EVALUATIONS = 300;
  private static final double TOLERANCE = 1e-9;
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

  /** Where a descent ended. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  public record Solution(double[] parameters, double cost) {}

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

  /** Descends from {@code start}; empty when it leads nowhere finite. */
  public static Optional<Solution> descend(Residuals problem, double[] start, int points) {
    return descend(problem, start, points, TOLERANCE);
  }

  /**
   * Descends until a step gains little.
   *
   * @param tolerance relative change of cost or parameters at which it stops
   */
  public static Optional<Solution> descend(
      Residuals problem, double[] start, int points, double tolerance) {
    MultivariateJacobianFunction model = point -> evaluate(problem, point.toArray(), points);
    try {
      LeastSquaresOptimizer.Optimum optimum =
          new LevenbergMarquardtOptimizer()
              .withCostRelativeTolerance(tolerance)
              .withParameterRelativeTolerance(tolerance)
              .optimize(
                  new LeastSquaresBuilder()
                      .start(start)
                      .model(model)
                      .target(new double[points])
                      .lazyEvaluation(false)
                      .maxEvaluations(MAX_EVALUATIONS)
                      .maxIterations(MAX_EVALUATIONS)
                      .build());
      double[] found = optimum.getPoint().toArray();
      return finite(found) && Double.isFinite(optimum.getCost())
          ? Optional.of(new Solution(found, optimum.getCost()))
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
