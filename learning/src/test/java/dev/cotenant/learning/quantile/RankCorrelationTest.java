package dev.cotenant.learning.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class RankCorrelationTest {
  @Test
  void dependsOnTheOrderAlone() {
    double[] rising = {1, 2, 4, 8, 16};

    assertThat(RankCorrelation.of(rising, new double[] {0, 1, 2, 3, 1e9})).hasValue(1);
    assertThat(RankCorrelation.of(rising, new double[] {5, 4, 3, 2, 1})).hasValue(-1);
  }

  /** 1 − 6 Σd² / (n (n² − 1)) with differences 0, 1, 1, 1, 1 of ranks. */
  @Test
  void agreesWithTheFormulaForDistinctValues() {
    OptionalDouble correlation =
        RankCorrelation.of(new double[] {1, 2, 3, 4, 5}, new double[] {10, 30, 20, 50, 40});

    assertThat(correlation.orElseThrow()).isCloseTo(1 - 6.0 * 4 / (5 * 24), within(1e-12));
  }

  /** Ranks 0.5, 0.5, 2, 3 against 0, 1, 2, 3: 4.5 / √(4.5 · 5). */
  @Test
  void equalValuesShareTheirMeanRank() {
    OptionalDouble correlation =
        RankCorrelation.of(new double[] {7, 7, 8, 9}, new double[] {1, 2, 3, 4});

    assertThat(correlation.orElseThrow()).isCloseTo(4.5 / Math.sqrt(4.5 * 5), within(1e-12));
  }

  @Test
  void isUndefinedWithoutVariation() {
    assertThat(RankCorrelation.of(new double[] {1, 1, 1}, new double[] {1, 2, 3})).isEmpty();
    assertThat(RankCorrelation.of(new double[] {1}, new double[] {2})).isEmpty();
    assertThat(RankCorrelation.of(new double[0], new double[0])).isEmpty();
  }

  @Test
  void refusesSeriesOfOtherLengths() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RankCorrelation.of(new double[1], new double[2]));
  }
}
