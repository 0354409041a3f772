package dev.cotenant.predictor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ResidualQuantilesTest {
  @Test
  void takesTheConformalRank() {
    // n = 9, coverage 0.8: rank ceil(10 × 0.8) = 8, the 8th smallest and the 8th largest
    double[] residuals = {4, -1, 3, -3, 0, 1, -4, 2, -2};
    assertThat(ResidualQuantiles.of(residuals, 0.8)).isEqualTo(new ResidualQuantiles(-3, 3));
  }

  @Test
  void takesTheExtremesWhenThereAreTooFewForTheCoverage() {
    // n = 5, coverage 0.9: rank ceil(6 × 0.9) = 6 > 5
    double[] residuals = {-1, 0, 1, 2, 3};
    assertThat(ResidualQuantiles.of(residuals, 0.9)).isEqualTo(new ResidualQuantiles(-1, 3));
  }

  @Test
  void neverMovesABoundPastTheEstimate() {
    assertThat(ResidualQuantiles.of(new double[] {1, 2, 3}, 0.5))
        .isEqualTo(new ResidualQuantiles(0, 2));
    assertThat(ResidualQuantiles.of(new double[] {-1, -2, -3}, 0.5))
        .isEqualTo(new ResidualQuantiles(-2, 0));
  }

  @Test
  void holdsInTheShareOfCasesThatItWasAskedFor() {
    Random random = new Random(7);
    int held = 0;
    int trials = 4000;
    for (int trial = 0; trial < trials; trial++) {
      double[] seen = random.doubles(30, -1, 1).toArray();
      held += random.nextDouble(-1, 1) <= ResidualQuantiles.of(seen, 0.9).upper() ? 1 : 0;
    }
    // rank 28 of 30: 28/31 = 0.903
    assertThat((double) held / trials).isBetween(0.88, 0.925);
  }

  @Test
  void refusesNothingAndNonsense() {
    assertThatThrownBy(() -> ResidualQuantiles.of(new double[0], 0.9))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ResidualQuantiles(Double.NaN, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ResidualQuantiles(-1, Double.POSITIVE_INFINITY))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
