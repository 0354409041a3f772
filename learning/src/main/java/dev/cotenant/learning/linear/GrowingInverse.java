package dev.cotenant.learning.linear;

import java.util.ArrayList;
import java.util.List;

/**
 * The inverse of the lower Cholesky factor L of a symmetric positive definite matrix that grows by
 * rows and columns: O(n²) to append one, O(n·k) to solve where the right side has k entries that
 * are not 0. Not thread-safe. {@link PositiveDefinite} factors a matrix that is known as a whole.
 */
public final class GrowingInverse {
  private final List<double[]> rows = new ArrayList<>();

  /** Rows and columns so far. */
  public int size() {
    return rows.size();
  }

  /**
   * Appends a row and a column.
   *
   * @param solved x of L·x = covariances with the rows so far; at least {@link #size} numbers
   * @param variance on the diagonal
   * @return whether the matrix remains positive definite; it is unchanged where it would not
   */
  public boolean append(double[] solved, double variance) {
    int n = rows.size();
    double rest = variance - dot(solved, solved, n);
    if (!(rest > 0) || Double.isInfinite(rest)) {
      return false;
    }
    double diagonal = Math.sqrt(rest);
    double[] row = new double[n + 1];
    for (int i = 0; i < n; i++) {
      addTimes(-solved[i] / diagonal, rows.get(i), row, i + 1);
    }
    row[n] = 1 / diagonal;
    rows.add(row);
    return true;
  }

  /** The diagonal entry of a row of L. */
  public double diagonal(int row) {
    return 1 / rows.get(row)[row];
  }

  /**
   * Adds entries of the solution x of L·x = right, of those from one entry on.
   *
   * @param at indices of the entries of the right side that are not 0, ascending
   * @param right these entries
   * @param count how many there are
   * @param from first entry of x
   * @param sum to which they are added, at least {@link #size} numbers
   */
  public void addSolution(int[] at, double[] right, int count, int from, double[] sum) {
    if (count == 0) {
      return;
    }
    int reached = 0;
    for (int i = Math.max(from, at[0]); i < rows.size(); i++) {
      double[] row = rows.get(i);
      while (reached < count && at[reached] <= i) {
        reached++;
      }
      double value = 0;
      for (int k = 0; k < reached; k++) {
        value += row[at[k]] * right[k];
      }
      sum[i] += value;
    }
  }

  /** Adds a multiple of one row of the inverse of L. */
  public void addRow(int row, double times, double[] sum) {
    addTimes(times, rows.get(row), sum, row + 1);
  }

  /** Scalar product of the first entries, in four sums that run side by side. */
  public static double dot(double[] a, double[] b, int count) {
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    int i = 0;
    for (; i + 3 < count; i += 4) {
      s0 += a[i] * b[i];
      s1 += a[i + 1] * b[i + 1];
      s2 += a[i + 2] * b[i + 2];
      s3 += a[i + 3] * b[i + 3];
    }
    for (; i < count; i++) {
      s0 += a[i] * b[i];
    }
    return s0 + s1 + (s2 + s3);
  }

  /** Adds a multiple of the first entries. */
  public static void addTimes(double times, double[] values, double[] sum, int count) {
    for (int i = 0; i < count; i++) {
      sum[i] += times * values[i];
    }
  }
}
