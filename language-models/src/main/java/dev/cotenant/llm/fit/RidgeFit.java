package dev.cotenant.llm.fit;

import dev.cotenant.learning.linear.LeastSquares;
import java.util.Arrays;

/**
 * Linear coefficients by weighted least squares with a ridge penalty towards typical ones: a
 * coefficient that the rows do not determine keeps its typical value.
 */
public final class RidgeFit {
  private RidgeFit() {}

  /**
   * Rows to learn from.
   *
   * @param features one row a run, one column a coefficient
   * @param targets what the sum of coefficient times feature is to be
   * @param weights one per run, such as the inverse measurement
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  public record Rows(double[][] features, double[] targets, double[] weights) {}

  /**
   * The coefficients.
   *
   * @param typical where no row says otherwise
   * @param ridge strength of the penalty, relative to the mean square of a weighted column
   */
  public static double[] of(Rows rows, double[] typical, double ridge) {
    int runs = rows.targets().length;
    int count = typical.length;
    double[] scale = scales(rows, count);
    double[][] system = new double[runs + count][count];
    double[] wanted = new double[runs + count];
    for (int i = 0; i < runs; i++) {
      double left = rows.targets()[i];
      for (int j = 0; j < count; j++) {
        left -= rows.features()[i][j] * typical[j];
        system[i][j] = rows.features()[i][j] * rows.weights()[i] / scale[j];
      }
      wanted[i] = left * rows.weights()[i];
    }
    for (int j = 0; j < count; j++) {
      system[runs + j][j] = Math.sqrt(ridge * Math.max(1, runs));
    }
    double[] moved = LeastSquares.linear(system, wanted).orElseGet(() -> new double[count]);
    double[] found = new double[count];
    Arrays.setAll(found, j -> typical[j] + moved[j] / scale[j]);
    return found;
  }

  private static double[] scales(Rows rows, int count) {
    double[] scale = new double[count];
    for (int j = 0; j < count; j++) {
      double squares = 0;
      for (int i = 0; i < rows.targets().length; i++) {
        double weighted = rows.features()[i][j] * rows.weights()[i];
        squares += weighted * weighted;
      }
      double root = Math.sqrt(squares / Math.max(1, rows.targets().length));
      scale[j] = root == 0 ? 1 : root;
    }
    return scale;
  }
}
