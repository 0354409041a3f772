package dev.cotenant.learning.linear;

import java.util.Optional;
import org.hipparchus.exception.MathIllegalArgumentException;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.CholeskyDecomposition;

/**
 * A symmetric positive definite matrix A in the form of its Cholesky factors: O(n³) to make, O(n²)
 * to solve. Immutable.
 */
public final class PositiveDefinite {
  private static final double SYMMETRIC = 0;
  private static final double POSITIVE = 0;

  private final CholeskyDecomposition factors;

  private PositiveDefinite(CholeskyDecomposition factors) {
    this.factors = factors;
  }

  /**
   * Factors a matrix.
   *
   * @param lower at least the lower half, row by row; not changed
   * @return empty when it is not positive definite, or not finite
   */
  public static Optional<PositiveDefinite> of(double[][] lower) {
    double[][] whole = new double[lower.length][lower.length];
    for (int i = 0; i < whole.length; i++) {
      for (int j = 0; j <= i; j++) {
        whole[i][j] = lower[i][j];
        whole[j][i] = lower[i][j];
      }
      if (!LeastSquares.finite(whole[i])) {
        return Optional.empty();
      }
    }
    try {
      return Optional.of(
          new PositiveDefinite(
              new CholeskyDecomposition(
                  new Array2DRowRealMatrix(whole, false), SYMMETRIC, POSITIVE)));
    } catch (MathIllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** x of A·x = right. */
  public double[] solve(double[] right) {
    return factors.getSolver().solve(new ArrayRealVector(right, false)).toArray();
  }

  /** x'·A⁻¹·x. */
  public double inverseSquare(double[] vector) {
    return dot(vector, solve(vector));
  }

  /** A⁻¹. */
  public double[][] inverse() {
    return factors.getSolver().getInverse().getData();
  }

  /** Natural logarithm of the determinant, which itself may be too small for a number. */
  public double logDeterminant() {
    double sum = 0;
    for (int i = 0; i < factors.getL().getRowDimension(); i++) {
      sum += 2 * Math.log(factors.getL().getEntry(i, i));
    }
    return sum;
  }

  /** The scalar product. */
  public static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
