package dev.cotenant.predictor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.quantity.Coverage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LevelQuantilesTest {
  private static LevelQuantiles upTo(int most) {
    return LevelQuantiles.of(IntStream.rangeClosed(1, most).mapToDouble(i -> i).toArray());
  }

  @ParameterizedTest
  @CsvSource({"0.5, 1", "0.8, 4", "0.9, 9", "0.95, 19", "0.99, 99"})
  void aLevelNeedsAsManyRowsAsItsOdds(double level, int rows) {
    assertThat(LevelQuantiles.rowsFor(Coverage.of(level))).isEqualTo(rows);
    assertThat(upTo(rows).supports(Coverage.of(level))).isTrue();
    assertThat(rows == 1 || !upTo(rows - 1).supports(Coverage.of(level))).isTrue();
  }

  @Test
  void certaintyNeedsMoreRowsThanThereAre() {
    assertThat(upTo(10_000).supports(Coverage.CERTAIN)).isFalse();
    assertThat(upTo(10_000).reached(Coverage.CERTAIN)).isEqualTo(Coverage.of(0.999));
  }

  /** ⌈(99 + 1) · 0.9⌉ = 90th of 99 scores; below 0 none lies. */
  @Test
  void isTheConformalRank() {
    assertThat(upTo(99).at(Coverage.of(0.9))).isEqualTo(new ResidualQuantiles(0, 90));
    assertThat(upTo(9).at(Coverage.of(0.9)).upper()).isEqualTo(9);
  }

  @Test
  void takesTheNextLevelAboveOneBetweenTwo() {
    assertThat(upTo(999).at(Coverage.of(0.91))).isEqualTo(upTo(999).at(Coverage.of(0.925)));
  }

  @Test
  void reachesTheHighestLevelThatItsRowsSupport() {
    assertThat(upTo(20).reached(Coverage.of(0.99))).isEqualTo(Coverage.of(0.95));
    assertThat(upTo(20).reached(Coverage.of(0.9))).isEqualTo(Coverage.of(0.9));
  }

  /** Half of the weight lies on one score. */
  @Test
  void countsWeights() {
    LevelQuantiles weighted =
        LevelQuantiles.of(new double[] {-2, 1, 3, 8}, new double[] {1, 1, 1, 3});
    assertThat(weighted.at(Coverage.of(0.5)).upper()).isEqualTo(8);
    assertThat(weighted.at(Coverage.of(0.5)).lower()).isZero();
  }

  @Test
  void isAsWideAsTheWider() {
    LevelQuantiles wider = LevelQuantiles.of(-5, 1, 1, 1).widerOf(upTo(9));
    assertThat(wider.at(Coverage.of(0.9))).isEqualTo(new ResidualQuantiles(-5, 9));
    assertThat(wider.rows()).isEqualTo(4);
  }

  @Test
  void refusesNoScores() {
    assertThatThrownBy(LevelQuantiles::of).isInstanceOf(IllegalArgumentException.class);
  }
}
