package dev.cotenant.predictor.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunHistoryTest {
  private static final double APART = 0.2;

  private static RunHistory history(String values) {
    List<Double> all = new ArrayList<>();
    for (String value : values.split(" ", -1)) {
      all.add(Double.valueOf(value));
    }
    return history(all);
  }

  private static RunHistory history(List<Double> values) {
    List<RunHistory.Dated> dated = new ArrayList<>();
    for (double value : values) {
      dated.add(new RunHistory.Dated(value, Instant.EPOCH.plusSeconds(dated.size())));
    }
    return RunHistory.of(dated, APART, true);
  }

  /* Of two the higher; of three the middle, and the highest may be wild; of four the third. */
  @ParameterizedTest
  @CsvSource({
    "3.0,             3.0, 3.0, 3.0, 1",
    "3.0 3.1,         3.1, 3.0, 3.1, 2",
    "3.1 3.0,         3.1, 3.0, 3.1, 2",
    "3.0 3.1 3.05,    3.05, 3.05, 3.05, 3",
    "3.0 3.1 3.05 3.2, 3.1, 3.05, 3.1, 4",
  })
  void expectsTheUpperMedianAndDoubtsOneRunOfThree(
      String values, double estimate, double lowest, double highest, int runs) {
    RunHistory history = history(values);

    assertThat(history.estimate()).isEqualTo(estimate);
    assertThat(history.lowest()).isEqualTo(lowest);
    assertThat(history.highest()).isEqualTo(highest);
    assertThat(history.runs()).isEqualTo(runs);
  }

  @ParameterizedTest
  @CsvSource({"0.0", "1.5", "4.6", "30"})
  void isNotMovedByOneWildRunWhereverItComes(double wild) {
    for (int place = 0; place <= 3; place++) {
      List<Double> values = new ArrayList<>(List.of(3.0, 3.02, 2.99));
      values.add(place, wild);

      RunHistory history = history(values);

      assertThat(history.estimate()).isBetween(2.99, 3.02);
      assertThat(history.highest()).isBetween(2.99, 3.02);
      assertThat(history.lowest()).isBetween(2.99, 3.02);
    }
  }

  /* Two at 4.0 and 4.05 after three at 3.0: 1.0 above, 0.05 apart: a change. */
  @Test
  void forgetsWhatWasBeforeOnceRunsInARowAgreeThatItChanged() {
    assertThat(history("3.0 3.01 3.0 4.0 4.05").runs()).isEqualTo(2);
    assertThat(history("3.0 3.01 3.0 4.0 4.05").estimate()).isEqualTo(4.05);
    assertThat(history("3.0 3.01 3.0 2.0 2.05 2.1").estimate()).isEqualTo(2.05);
    assertThat(history("3.0 3.01 3.0 2.0 2.05 2.1").runs()).isEqualTo(3);
  }

  @Test
  void forgetsNothingForOneRunNorForTwoThatContradictEachOther() {
    assertThat(history("3.0 3.01 3.0 4.0").runs()).isEqualTo(4);
    assertThat(history("3.0 3.01 3.0 4.0 3.02").runs()).isEqualTo(5);
    assertThat(history("3.0 3.01 3.0 4.0 2.0").runs()).isEqualTo(5);
    assertThat(history("3.0 3.01 3.0 4.0 4.5").runs()).isEqualTo(5);
    assertThat(history("3.0 3.01 3.0 3.15 3.15").runs()).isEqualTo(5);
  }

  /** Two lower ones are no change: a job that is run in two ways must not look small. */
  @Test
  void forgetsHigherRunsForThreeLowerOnesOnly() {
    assertThat(history("3.0 3.01 3.0 2.0 2.05").runs()).isEqualTo(5);
    assertThat(history("3.0 3.01 3.0 2.0 2.05").estimate()).isEqualTo(3.0);
    assertThat(history("3.0 3.01 3.0 2.0 2.3 2.1").runs()).isEqualTo(6);
  }

  /*
   * Hourly 60, 60, 30, 30, 60 %: the fifth is as expected, and that the third was not stays counted:
   * ln(61) = 4.11, ln(31) = 3.43, 0.68 below.
   */
  @Test
  void remembersTheSurprisesOfWhatItForgets() {
    double high = Math.log1p(60);
    double low = Math.log1p(30);
    List<RunHistory.Dated> hourly = new ArrayList<>();
    for (double value : new double[] {high, high, low, low, high}) {
      hourly.add(new RunHistory.Dated(value, Instant.EPOCH.plus(Duration.ofHours(hourly.size()))));
    }

    RunHistory history = RunHistory.of(hourly, APART, true);

    assertThat(history.estimate()).isEqualTo(high);
    assertThat(history.surprises(5)).containsExactly(0.0, low - high, low - high, 0.0);
    RunHistory risen = RunHistory.of(hourly.subList(2, 5), APART, true);
    assertThat(risen.surprises(5)).containsExactly(0.0, high - low);
    assertThat(history("3.0 3.0 3.0 4.0 4.0").surprises(5)).hasSize(4).endsWith(1.0, 1.0);
  }

  @Test
  void takesNoChangeFromRunsOfOneInstantWhoseOrderNobodyKnows() {
    List<RunHistory.Dated> runs = new ArrayList<>();
    for (double value : new double[] {3.0, 3.01, 4.0, 4.05}) {
      runs.add(new RunHistory.Dated(value, Instant.EPOCH));
    }

    assertThat(RunHistory.of(runs, APART, true).runs()).isEqualTo(4);
  }

  @Test
  void comparesEachNewRunWithThoseBeforeIt() {
    assertThat(history("3.0 3.1 3.05").surprises(5))
        .satisfiesExactly(
            second -> assertThat(second).isCloseTo(0.1, within(1e-12)),
            third -> assertThat(third).isCloseTo(-0.05, within(1e-12)));
    assertThat(history("3.0").surprises(5)).isEmpty();
    assertThat(history("3.0 3.1 3.05 3.0 3.0").surprises(2)).hasSize(2);
  }

  private static org.assertj.core.data.Offset<Double> within(double offset) {
    return org.assertj.core.data.Offset.offset(offset);
  }

  @Test
  void keepsTheNewestTwenty() {
    assertThat(history(Collections.nCopies(1_000, 3.0)).runs()).isEqualTo(20);
  }

  @Test
  void keepsTheOrderOfItsFigures() {
    Random random = new Random(5);
    for (int round = 0; round < 500; round++) {
      List<Double> values = random.doubles(1 + random.nextInt(12), 0, 4.6).boxed().toList();

      RunHistory history = history(values);

      assertThat(history.lowest()).isLessThanOrEqualTo(history.estimate());
      assertThat(history.estimate()).isLessThanOrEqualTo(history.highest());
      assertThat(history.highest()).isLessThanOrEqualTo(Collections.max(values));
    }
  }
}
