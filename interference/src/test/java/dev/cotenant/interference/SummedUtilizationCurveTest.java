package dev.cotenant.interference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SummedUtilizationCurveTest {
  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();

  @ParameterizedTest
  @CsvSource({
    "0, 1.0", // nothing runs, nothing is slowed
    "35, 1.040583", // 1 / 0.961
    "90, 1.075269", // 1 / 0.930
    "102.5, 1.109716", // half way between 1 / 0.930 and 1 / 0.874 = (1.075269 + 1.144165) / 2
    "180, 1.555210", // 1 / 0.643
    "215, 1.787669", // 180 plus one more step of 35 on the last slope: 2 * 1.555210 - 1.322751
  })
  void followsThePublishedBins(double sum, double expected) {
    assertThat(ratioAt(sum)).isCloseTo(expected, within(1e-5));
  }

  @Test
  void neverFallsAsTheSumGrows() {
    double before = 1;
    for (double sum = 0; sum <= 400; sum += 0.5) {
      double now = ratioAt(sum);
      assertThat(now).as("slowdown at %s", sum).isGreaterThanOrEqualTo(before);
      before = now;
    }
  }

  @Test
  void staysWithinTheDefaultLimitUpToAFullGpu() {
    assertThat(curve.slowdown(SummedUtilization.ofPercent(100))).isLessThan(Slowdown.ofRatio(1.15));
  }

  @Test
  void turnsSlowdownsBackIntoSums() {
    for (double sum = 0; sum <= 400; sum += 0.5) {
      assertThat(curve.mostWithin(Slowdown.ofRatio(ratioAt(sum))).percent())
          .isCloseTo(sum, within(1e-9));
    }
  }

  private double ratioAt(double sum) {
    return curve.slowdown(SummedUtilization.ofPercent(sum)).ratio();
  }
}
