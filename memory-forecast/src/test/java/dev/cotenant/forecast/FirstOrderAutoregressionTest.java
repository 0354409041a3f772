package dev.cotenant.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class FirstOrderAutoregressionTest {
  private static final double EXACT = 1e-12;

  @Test
  void fitsTheWorkedExample() {
    // pairs (1,2) (2,4) (4,5): x mean 7/3, y mean 11/3
    // Sxx = (16 + 1 + 25) / 9 = 42/9; Sxy = (20 - 1 + 20) / 9 = 39/9; slope = 39/42 = 13/14
    // c = 11/3 - 13/14 * 7/3 = 11/3 - 13/6 = 1.5; next = 1.5 + 13/14 * 5 = 86/14
    FirstOrderAutoregression fit = fit(new double[] {1, 2, 4, 5});
    assertThat(fit.slope()).isCloseTo(13.0 / 14, within(EXACT));
    assertThat(fit.intercept()).isCloseTo(1.5, within(EXACT));
    assertThat(fit.next(5)).isCloseTo(86.0 / 14, within(EXACT));
  }

  @Test
  void pairsNoValuesAcrossAGap() {
    // 10, 6, 4 and after the gap 100, 51: pairs (10,6) (6,4) (100,51), all on y = 1 + x/2
    FirstOrderAutoregression fit = fit(new double[] {10, 6, 4}, new double[] {100, 51});
    assertThat(fit.slope()).isCloseTo(0.5, within(EXACT));
    assertThat(fit.intercept()).isCloseTo(1, within(EXACT));
  }

  @Test
  void isUndeterminedWhereAllPredecessorsAreEqual() {
    assertThat(FirstOrderAutoregression.fit(List.of())).isEmpty();
    assertThat(FirstOrderAutoregression.fit(List.of(new double[] {3}))).isEmpty();
    assertThat(FirstOrderAutoregression.fit(List.of(new double[] {3, 9}))).isEmpty();
    assertThat(FirstOrderAutoregression.fit(List.of(new double[] {3, 3, 3, 9}))).isEmpty();
    // no exact binary number: the mean of three may differ from each of them
    assertThat(FirstOrderAutoregression.fit(List.of(new double[] {0.1, 0.1, 0.1, 9}))).isEmpty();
    assertThat(FirstOrderAutoregression.fit(List.of(new double[] {3}, new double[] {4}))).isEmpty();
  }

  @Test
  void recoversALinearRecursion() {
    Random random = new Random(7);
    for (int round = 0; round < 500; round++) {
      double slope = random.nextDouble(-0.95, 1.2);
      double intercept = random.nextDouble(-50, 50);
      double[] values = new double[5 + random.nextInt(10)];
      // away from the fixed point c / (1 - slope), where the recursion would stand still
      values[0] = 400 + random.nextDouble(100) + intercept / (1 - slope + 0.01);
      for (int i = 1; i < values.length; i++) {
        values[i] = intercept + slope * values[i - 1];
      }
      FirstOrderAutoregression fit = fit(values);
      assertThat(fit.slope()).isCloseTo(slope, within(1e-6));
      assertThat(fit.next(values[0])).isCloseTo(values[1], within(1e-4));
    }
  }

  @Test
  void followsShiftAndScale() {
    Random random = new Random(8);
    for (int round = 0; round < 500; round++) {
      double[] values = random.doubles(4 + random.nextInt(20), 1, 100).toArray();
      double scale = 0.1 + random.nextDouble(10);
      double shift = random.nextDouble(100);
      double[] moved = values.clone();
      for (int i = 0; i < moved.length; i++) {
        moved[i] = scale * moved[i] + shift;
      }
      double last = values[values.length - 1];
      assertThat(fit(moved).slope()).isCloseTo(fit(values).slope(), within(1e-7));
      assertThat(fit(moved).next(scale * last + shift))
          .isCloseTo(scale * fit(values).next(last) + shift, Percentage.withPercentage(1e-4));
    }
  }

  private static FirstOrderAutoregression fit(double[]... runs) {
    return FirstOrderAutoregression.fit(List.of(runs)).orElseThrow();
  }
}
