package dev.cotenant.interference.fit;

/** Solves symmetric positive definite systems in place. */
public final class Cholesky {
  private Cholesky() {}

  /** Turns the lower half into its factor; false when the matrix is not positive definite. */
  public static boolean factor(double[][] matrix) {
    for (int i = 0; i < matrix.length; i++) {
      double[] row = matrix[i];
      for (int j = 0; j < i; j++) {
        row[j] = (row[j] - dot(row, matrix[j], j)) / matrix[j][j];
      }
      double rest = row[i] - dot(row, row, i);
      if (!(rest > 0 && rest < Double.POSITIVE_INFINITY)) {
        return false;
      }
      row[i] = Math.sqrt(rest);
    }
    return true;
  }

  /** Solves L·x = vector. */
  public static void forward(double[][] lower, double[] vector) {
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (vector[i] - dot(lower[i], vector, i)) / lower[i][i];
    }
  }

  /** Solves L'·x = vector. */
  public static void backward(double[][] lower, double[] vector) {
    for (int i = vector.length - 1; i >= 0; i--) {
      vector[i] /= lower[i][i];
      for (int j = 0; j < i; j++) {
        vector[j] -= lower[i][j] * vector[i];
      }
    }
  }

  /** The first {@code count} products, added up. */
  public static double dot(double[] a, double[] b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
