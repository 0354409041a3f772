package dev.cotenant.learning.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GrowingInverseTest {
  private static final double EXACT = 1e-10;

  /** [4 2; 2 3]: L = [2 0; 1 √2], so L⁻¹ = [1/2 0; −1/(2√2) 1/√2]. */
  @Test
  void invertsTwoRowsAsAHandDoes() {
    GrowingInverse inverse = new GrowingInverse();
    assertThat(inverse.append(new double[0], 4)).isTrue();
    assertThat(inverse.append(new double[] {1}, 3)).isTrue();

    double[] row = new double[2];
    inverse.addRow(1, 2, row);
    assertThat(inverse.diagonal(1)).isCloseTo(Math.sqrt(2), within(EXACT));
    assertThat(row).containsExactly(new double[] {-Math.sqrt(0.5), Math.sqrt(2)}, within(EXACT));
  }

  @Test
  void refusesARowThatMakesTheMatrixSingularAndStaysAsItWas() {
    GrowingInverse inverse = new GrowingInverse();
    inverse.append(new double[0], 4);

    assertThat(inverse.append(new double[] {2}, 4)).isFalse();
    assertThat(inverse.append(new double[] {1}, Double.NaN)).isFalse();
    assertThat(inverse.append(new double[] {1}, Double.POSITIVE_INFINITY)).isFalse();
    assertThat(inverse.size()).isEqualTo(1);
  }

  /** Right sides with few entries, at once and continued when the matrix has grown. */
  @Test
  void solvesTheEquationsOfTheFactor() {
    Random random = new Random(1);
    int n = 30;
    double[][] factor = new double[n][];
    GrowingInverse inverse = new GrowingInverse();
    int[] at = {3, 7, 21};
    double[] right = {1, -2, 0.5};
    double[] continued = new double[n];
    for (int i = 0; i < n; i++) {
      double[] solved = random.doubles(i, -1, 1).toArray();
      double variance = 1 + GrowingInverse.dot(solved, solved, i);
      factor[i] = Arrays.copyOf(solved, i + 1);
      factor[i][i] = 1;
      assertThat(inverse.append(solved, variance)).isTrue();
      if (i >= at[2]) {
        inverse.addSolution(at, right, 3, i == at[2] ? 0 : i, continued);
      }
    }
    double[] atOnce = new double[n];
    inverse.addSolution(at, right, 3, 0, atOnce);
    for (int i = 0; i < n; i++) {
      int place = Arrays.binarySearch(at, i);
      assertThat(GrowingInverse.dot(factor[i], atOnce, i + 1))
          .isCloseTo(place < 0 ? 0 : right[place], within(1e-8));
    }
    assertThat(continued).containsExactly(atOnce, within(1e-8));
  }
}
