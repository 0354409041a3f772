package dev.cotenant.learning.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class GrowingCholeskyTest {
  private static final double EXACT = 1e-10;

  /** [4 2; 2 3]: L = [2 0; 1 √2]. */
  @Test
  void factorsTwoRowsAsAHandDoes() {
    GrowingCholesky factor = new GrowingCholesky();
    assertThat(factor.append(new double[0], 4)).isTrue();
    double[] covariances = {2};
    factor.extend(covariances, 0, 0);
    assertThat(factor.append(covariances, 3)).isTrue();

    assertThat(factor.diagonal(0)).isEqualTo(2);
    assertThat(factor.diagonal(1)).isCloseTo(Math.sqrt(2), within(EXACT));
    assertThat(factor.logDeterminant()).isCloseTo(Math.log(8), within(EXACT));
    assertThat(factor.inverse()[0]).containsExactly(new double[] {3 / 8.0, -0.25}, within(EXACT));
  }

  @Test
  void refusesARowThatMakesTheMatrixSingularAndStaysAsItWas() {
    GrowingCholesky factor = new GrowingCholesky();
    factor.append(new double[0], 4);

    assertThat(factor.append(new double[] {1}, 1)).isFalse();
    assertThat(factor.append(new double[] {1}, Double.NaN)).isFalse();
    assertThat(factor.append(new double[] {1}, Double.POSITIVE_INFINITY)).isFalse();
    assertThat(factor.size()).isEqualTo(1);
  }

  @Test
  void agreesWithTheFactorsOfTheWholeMatrix() {
    Random random = new Random(1);
    int n = 30;
    double[][] matrix = new double[n][n];
    double[][] roots = new double[n][n];
    for (double[] row : roots) {
      row[random.nextInt(n)] = 2;
      for (int j = 0; j < n; j++) {
        row[j] += random.nextGaussian();
      }
    }
    GrowingCholesky factor = new GrowingCholesky();
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        matrix[i][j] = PositiveDefinite.dot(roots[i], roots[j]) + (i == j ? 1 : 0);
      }
      double[] solved = matrix[i].clone();
      factor.extend(solved, 0, 0);
      assertThat(factor.append(solved, matrix[i][i])).isTrue();
    }
    PositiveDefinite whole = PositiveDefinite.of(matrix).orElseThrow();

    assertThat(factor.logDeterminant()).isCloseTo(whole.logDeterminant(), within(1e-8));
    double[][] inverse = factor.inverse();
    for (int i = 0; i < n; i++) {
      assertThat(inverse[i]).containsExactly(whole.inverse()[i], within(1e-8));
    }
  }

  /** The beginning of a solution does not change when the matrix grows. */
  @Test
  void aSolutionIsContinued() {
    GrowingCholesky factor = new GrowingCholesky();
    factor.append(new double[0], 2);
    double[] right = {0, 3, 5};
    factor.extend(right, 1, 0);
    factor.append(new double[] {0.5}, 2);
    factor.append(new double[] {0.1, 0.2}, 2);
    double[] atOnce = {0, 3, 5};
    factor.extend(atOnce, 0, 0);
    factor.extend(right, 1, 1);

    assertThat(right).containsExactly(atOnce, within(EXACT));
  }
}
