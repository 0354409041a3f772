package dev.cotenant.predictor.hybrid.prior;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.predictor.model.ResidualQuantiles;
import org.junit.jupiter.api.Test;

class SpreadTest {
  private static final StandardErrors LOPSIDED = new StandardErrors(0.8, 0.3);

  @Test
  void countsResidualsInDeviationsOfTheirOwnSide() {
    assertThat(LOPSIDED.score(-0.4)).isEqualTo(-0.5);
    assertThat(LOPSIDED.score(0.6)).isEqualTo(2);
    assertThat(LOPSIDED.score(0)).isZero();
  }

  @Test
  void turnsScoresBackIntoOffsets() {
    ResidualQuantiles offsets = LOPSIDED.times(new ResidualQuantiles(-1.5, 2));
    assertThat(offsets.lower()).isCloseTo(-1.2, within(1e-12));
    assertThat(offsets.upper()).isCloseTo(0.6, within(1e-12));
    assertThat(StandardErrors.NONE.times(offsets).lower()).isZero();
    assertThat(StandardErrors.NONE.times(offsets).upper()).isZero();
  }

  /** √(0.8² + 0.6²) = 1, √(0.3² + 0.4²) = 0.5. */
  @Test
  void addsIndependentCausesBySquares() {
    assertThat(LOPSIDED.and(0.6).below()).isCloseTo(1, within(1e-12));
    assertThat(LOPSIDED.and(0.4).above()).isCloseTo(0.5, within(1e-12));
    assertThat(LOPSIDED.and(0)).isEqualTo(LOPSIDED);
  }
}
