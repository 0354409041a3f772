package dev.cotenant.evaluation.compare;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Columns shifted and scaled to mean 0 and standard deviation 1; those that do not vary go. */
final class Scaling {
  private final int[] columns;
  private final double[] means;
  private final double[] deviations;

  private Scaling(int[] columns, double[] means, double[] deviations) {
    this.columns = columns;
    this.means = means;
    this.deviations = deviations;
  }

  /** What makes these rows standard. */
  static Scaling standard(float[][] rows) {
    int[] columns = varying(rows);
    double[] means = new double[columns.length];
    double[] deviations = new double[columns.length];
    for (int i = 0; i < columns.length; i++) {
      int column = columns[i];
      means[i] = Arrays.stream(rows).mapToDouble(row -> row[column]).average().orElseThrow();
      double mean = means[i];
      double variance =
          Arrays.stream(rows)
              .mapToDouble(row -> (row[column] - mean) * (row[column] - mean))
              .average()
              .orElseThrow();
      deviations[i] = Math.sqrt(variance);
    }
    return new Scaling(columns, means, deviations);
  }

  /** Drops columns that do not vary over these rows and leaves the others as they are. */
  static Scaling none(float[][] rows) {
    int[] columns = varying(rows);
    double[] ones = new double[columns.length];
    Arrays.fill(ones, 1);
    return new Scaling(columns, new double[columns.length], ones);
  }

  private static int[] varying(float[][] rows) {
    return IntStream.range(0, rows[0].length)
        .filter(column -> Arrays.stream(rows).anyMatch(row -> row[column] != rows[0][column]))
        .toArray();
  }

  /** How many columns are left. */
  int columns() {
    return columns.length;
  }

  double[] apply(float[] vector) {
    double[] scaled = new double[columns.length];
    for (int i = 0; i < columns.length; i++) {
      scaled[i] = (vector[columns[i]] - means[i]) / deviations[i];
    }
    return scaled;
  }

  double[][] apply(float[][] rows) {
    return Arrays.stream(rows).map(this::apply).toArray(double[][]::new);
  }
}
