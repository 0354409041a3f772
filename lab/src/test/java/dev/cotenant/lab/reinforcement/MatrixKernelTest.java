package dev.cotenant.lab.reinforcement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatrixKernelTest {
  private final MatrixKernel kernel = new MatrixKernel();

  /** Whole blocks, parts of blocks, single rows and columns. */
  @ParameterizedTest
  @CsvSource({"4, 8, 64", "100, 16, 240", "1, 16, 512", "7, 3, 5", "1, 1, 1", "5, 100, 65"})
  void givesTheBitsOfFusedMultiplyAddsInOrder(int rows, int inner, int columns) {
    float[][] a = drawn(rows, inner, 1);
    float[][] b = drawn(inner, columns, 2);
    float[][] expected = inOrder(a, b);

    float[][] product = new float[rows][columns];
    kernel.multiply(product, a, b);
    assertThat(product).isDeepEqualTo(expected);

    kernel.multiplyTransposed(product, transposed(a), b);
    assertThat(product).isDeepEqualTo(expected);

    kernel.multiplyByTransposed(product, a, transposed(b));
    assertThat(product).isDeepEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"9, 20, 70"})
  void isNotDisturbedByALargerProductBefore(int rows, int inner, int columns) {
    kernel.multiply(new float[30][90], drawn(30, 50, 3), drawn(50, 90, 4));

    givesTheBitsOfFusedMultiplyAddsInOrder(rows, inner, columns);
  }

  private static float[][] inOrder(float[][] a, float[][] b) {
    float[][] product = new float[a.length][b[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < b[0].length; j++) {
        for (int p = 0; p < b.length; p++) {
          product[i][j] = Math.fma(a[i][p], b[p][j], product[i][j]);
        }
      }
    }
    return product;
  }

  private static float[][] transposed(float[][] rows) {
    float[][] columns = new float[rows[0].length][rows.length];
    for (int i = 0; i < rows.length; i++) {
      for (int j = 0; j < rows[0].length; j++) {
        columns[j][i] = rows[i][j];
      }
    }
    return columns;
  }

  private static float[][] drawn(int rows, int columns, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    float[][] drawn = new float[rows][columns];
    for (float[] row : drawn) {
      for (int j = 0; j < columns; j++) {
        row[j] = random.nextFloat() - 0.5f;
      }
    }
    return drawn;
  }
}
