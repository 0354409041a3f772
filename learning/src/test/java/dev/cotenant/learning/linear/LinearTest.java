package dev.cotenant.learning.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Numbers that a hand can check. */
class LinearTest {
  private static final double EXACT = 1e-12;

  @Test
  void solvesASymmetricSystem() {
    // [4 2; 2 3]: determinant 8, inverse [3 −2; −2 4] / 8; the upper half is not read
    PositiveDefinite matrix =
        PositiveDefinite.of(new double[][] {{4, Double.NaN}, {2, 3}}).orElseThrow();
    assertThat(matrix.solve(new double[] {8, 8}))
        .containsExactly(new double[] {1, 2}, within(EXACT));
    assertThat(matrix.inverseSquare(new double[] {1, 1})).isCloseTo(3 / 8.0, within(EXACT));
    assertThat(matrix.logDeterminant()).isCloseTo(Math.log(8), within(EXACT));
    assertThat(matrix.inverse()[0]).containsExactly(new double[] {3 / 8.0, -0.25}, within(EXACT));
  }

  @Test
  void hasNoAnswerForWhatIsNotPositiveDefinite() {
    assertThat(PositiveDefinite.of(new double[][] {{1}, {2, 1}})).isEmpty();
    assertThat(PositiveDefinite.of(new double[][] {{0}})).isEmpty();
    assertThat(PositiveDefinite.of(new double[][] {{Double.POSITIVE_INFINITY}})).isEmpty();
    assertThat(PositiveDefinite.of(new double[][] {{1e-30}})).isPresent();
  }

  @Test
  void aGaussianProcessOfOneRowSharesWithItsNoise() {
    // variance 1 and noise 1: the mean moves half way, and half of the variance is left
    GaussianProcess process =
        GaussianProcess.fit(new double[][] {{2}}, new double[] {5}, 1).orElseThrow();
    assertThat(process.mean(new double[] {1})).isCloseTo(3, within(EXACT));
    assertThat(process.deviation(new double[] {1}, 1)).isCloseTo(Math.sqrt(0.5), within(EXACT));
    assertThat(process.deviation(new double[] {0}, 1)).isCloseTo(1, within(EXACT));
    assertThat(process.logLikelihood()).isCloseTo(-(16 / 2.0 + Math.log(2)) / 2, within(EXACT));
  }

  @Test
  void leavingARowOutIsFittingTheOthers() {
    Random random = new Random(1);
    int rows = 6;
    double[] targets = random.doubles(rows).toArray();
    double[] places = random.doubles(rows).toArray();
    GaussianProcess.LeftOut[] leftOut =
        GaussianProcess.fit(covariance(places), targets, 0.2).orElseThrow().leaveOneOut();
    for (int out = 0; out < rows; out++) {
      double[] others = without(places, out);
      GaussianProcess rest =
          GaussianProcess.fit(covariance(others), without(targets, out), 0.2).orElseThrow();
      double[] to = new double[rows - 1];
      for (int i = 0; i < to.length; i++) {
        to[i] = Math.exp(-Math.pow(places[out] - others[i], 2));
      }
      assertThat(leftOut[out].residual()).isCloseTo(targets[out] - rest.mean(to), within(1e-10));
      assertThat(leftOut[out].deviation())
          .isCloseTo(Math.hypot(rest.deviation(to, 1), 0.3), within(1e-10));
    }
  }

  private static double[][] covariance(double[] places) {
    double[][] lower = new double[places.length][];
    for (int i = 0; i < lower.length; i++) {
      lower[i] = new double[i + 1];
      for (int j = 0; j <= i; j++) {
        lower[i][j] = Math.exp(-Math.pow(places[i] - places[j], 2)) + (i == j ? 0.09 : 0);
      }
    }
    return lower;
  }

  private static double[] without(double[] values, int out) {
    double[] rest = new double[values.length - 1];
    for (int i = 0; i < rest.length; i++) {
      rest[i] = values[i < out ? i : i + 1];
    }
    return rest;
  }

  @Test
  void findsALineAndHowWellPointsDetermineIt() {
    double[][] rows = {{1, 0}, {1, 1}, {1, 2}};
    assertThat(LeastSquares.linear(rows, new double[] {1, 3, 5}).orElseThrow())
        .containsExactly(new double[] {1, 2}, within(EXACT));
    assertThat(LeastSquares.linear(new double[][] {{1, 1}, {2, 2}}, new double[] {1, 2})).isEmpty();
    // the same line by descent; X'X = [3 3; 3 5], its inverse [5 −3; −3 3] / 6
    LeastSquares.Solution found =
        LeastSquares.descend(
                (line, residuals, jacobian) -> {
                  for (int i = 0; i < rows.length; i++) {
                    residuals[i] = line[0] + line[1] * i - (1 + 2 * i);
                    jacobian[i] = rows[i].clone();
                  }
                },
                new double[] {0, 0},
                rows.length,
                LeastSquares.Stop.EXACT)
            .orElseThrow();
    assertThat(found.parameters()).containsExactly(new double[] {1, 2}, within(1e-8));
    assertThat(found.covariance()[0]).containsExactly(new double[] {5 / 6.0, -0.5}, within(1e-8));
  }

  @Test
  void standardisesToMeanZeroAndDeviationOne() {
    Standardisation shape = Standardisation.of(new double[][] {{1, 7}, {5, 7}});
    assertThat(shape.apply(new double[] {5, 9})).containsExactly(1, 0);
    assertThat(shape.means()).containsExactly(3, 7);
    assertThat(shape.deviations()).containsExactly(2, 0);
  }
}
