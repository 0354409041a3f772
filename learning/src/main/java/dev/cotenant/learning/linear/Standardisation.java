package dev.cotenant.learning.linear;

/** Columns shifted to mean 0 and scaled to deviation 1; columns that do not vary become 0. */
public final class Standardisation {
  private static final double MIN_DEVIATION = 1e-12;

  private final double[] means;
  private final double[] deviations;

  private Standardisation(double[] means, double[] deviations) {
    this.means = means;
    this.deviations = deviations;
  }

  /** Of at least one row. */
  public static Standardisation of(double[][] rows) {
    int columns = rows[0].length;
    double[] means = new double[columns];
    double[] deviations = new double[columns];
    for (double[] row : rows) {
      for (int i = 0; i < columns; i++) {
        means[i] += row[i];
      }
    }
    for (int i = 0; i < columns; i++) {
      means[i] /= rows.length;
    }
    for (double[] row : rows) {
      for (int i = 0; i < columns; i++) {
        deviations[i] += (row[i] - means[i]) * (row[i] - means[i]);
      }
    }
    for (int i = 0; i < columns; i++) {
      deviations[i] = Math.sqrt(deviations[i] / rows.length);
    }
    return new Standardisation(means, deviations);
  }

  /** Of at least one row. */
  public static Standardisation of(float[][] rows) {
    double[][] wide = new double[rows.length][rows[0].length];
    for (int i = 0; i < rows.length; i++) {
      for (int j = 0; j < rows[i].length; j++) {
        wide[i][j] = rows[i][j];
      }
    }
    return of(wide);
  }

  /** One row. */
  public double[] apply(double[] row) {
    double[] result = new double[row.length];
    for (int i = 0; i < row.length; i++) {
      result[i] = deviations[i] > MIN_DEVIATION ? (row[i] - means[i]) / deviations[i] : 0;
    }
    return result;
  }

  /** Shift of each column. */
  public double[] means() {
    return means.clone();
  }

  /** Divisor of each column. */
  public double[] deviations() {
    return deviations.clone();
  }
}
