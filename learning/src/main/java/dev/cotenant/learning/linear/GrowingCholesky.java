package dev.cotenant.learning.linear;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The lower Cholesky factor L of a symmetric positive definite matrix that grows by rows and
 * columns: O(n²) to append one, O(n²) to solve. Not thread-safe.
 *
 * <p>{@link PositiveDefinite} factors a matrix that is known as a whole.
 */
public final class GrowingCholesky {
  private final List<double[]> rows = new ArrayList<>();

  /** Rows and columns so far. */
  public int size() {
    return rows.size();
  }

  /**
   * Appends a row and a column.
   *
   * @param solved x of L·x = covariances with the rows so far, see {@link #extend}; at least {@link
   *     #size} numbers, copied
   * @param variance on the diagonal
   * @return whether the matrix remains positive definite; it is unchanged where it would not
   */
  public boolean append(double[] solved, double variance) {
    int n = rows.size();
    double rest = variance - dot(solved, solved, 0, n);
    if (!(rest > 0) || Double.isInfinite(rest)) {
      return false;
    }
    double[] row = Arrays.copyOf(solved, n + 1);
    row[n] = Math.sqrt(rest);
    rows.add(row);
    return true;
  }

  /** The diagonal entry of a row. */
  public double diagonal(int row) {
    return rows.get(row)[row];
  }

  /**
   * Continues x of L·x = right by forward substitution.
   *
   * @param values in {@code [0, from)} entries of x, in {@code [from, size)} entries of the right
   *     side, which are replaced by x
   * @param zeros so many entries of x are 0 at the beginning
   * @param from first entry to solve
   */
  public void extend(double[] values, int zeros, int from) {
    for (int i = from; i < rows.size(); i++) {
      double[] row = rows.get(i);
      values[i] = (values[i] - dot(row, values, zeros, i)) / row[i];
    }
  }

  /** Logarithm of the determinant of the matrix. */
  public double logDeterminant() {
    double sum = 0;
    for (int i = 0; i < rows.size(); i++) {
      sum += 2 * Math.log(diagonal(i));
    }
    return sum;
  }

  /** The inverse of the matrix, O(n³). */
  public double[][] inverse() {
    int n = rows.size();
    double[][] columns = new double[n][n]; // row j is column j of L⁻¹
    for (int j = 0; j < n; j++) {
      columns[j][j] = 1;
      extend(columns[j], j, j);
    }
    double[][] inverse = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        inverse[i][j] = dot(columns[i], columns[j], i, n);
        inverse[j][i] = inverse[i][j];
      }
    }
    return inverse;
  }

  /** Scalar product of the entries in {@code [from, to)}, in four sums that run side by side. */
  public static double dot(double[] a, double[] b, int from, int to) {
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    int i = from;
    for (; i + 3 < to; i += 4) {
      s0 += a[i] * b[i];
      s1 += a[i + 1] * b[i + 1];
      s2 += a[i + 2] * b[i + 2];
      s3 += a[i + 3] * b[i + 3];
    }
    for (; i < to; i++) {
      s0 += a[i] * b[i];
    }
    return s0 + s1 + (s2 + s3);
  }
}
