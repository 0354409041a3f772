package dev.cotenant.evaluation.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Three runs on cards of 40: of 10, of 20, and one without a bound. */
class FillLineTest {
  private static final List<FillCase> CASES =
      List.of(
          new FillCase(10, 9, 12, 40),
          new FillCase(20, 15, 19, 40),
          new FillCase(30, 30, Double.NaN, 40));

  @Test
  void countsWhatIsFreedAndWhatIsKilled() {
    FillLine line = FillLine.at("some", 0.9, CASES);

    assertThat(line.rule()).isEqualTo("bound 90 %");
    assertThat(line.runs()).isEqualTo(3);
    assertThat(line.filled()).isEqualTo(2);
    assertThat(line.killed()).isOne();
    assertThat(line.killedPercent()).isEqualTo(50);
    assertThat(line.freedOfCards()).isCloseTo(100 * (1 - 71.0 / 120), within(1e-9));
    assertThat(line.freedOfRule()).isCloseTo(100 * (1 - 71.0 / (10.8 + 18 + 36)), within(1e-9));
  }

  @Test
  void rulesOfThumbStandBeside() {
    List<FillLine> rules = FillLine.rules("some", CASES);

    assertThat(rules).extracting(FillLine::rule).containsExactly("whole GPU", "estimate x 1.2");
    assertThat(rules.getFirst().killed()).isZero();
    assertThat(rules.getFirst().freedOfCards()).isZero();
    assertThat(rules.getLast().killed()).isOne();
    assertThat(rules.getLast().freedOfRule()).isZero();
  }

  /** A bound beyond the card leaves the run its card, and no run is killed for it. */
  @Test
  void aBoundBeyondTheCardIsNotFilledIn() {
    FillLine line = FillLine.at("some", 0.99, List.of(new FillCase(39, 30, 41, 40)));

    assertThat(line.filled()).isZero();
    assertThat(line.killed()).isZero();
    assertThat(line.killedPercent()).isZero();
  }
}
