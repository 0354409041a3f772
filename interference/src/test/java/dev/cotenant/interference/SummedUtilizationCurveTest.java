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
    "50, 1.031593", // 1 / (1 - 0.49 / 16)
    "100, 1.139601", // 1 / (1 - 0.49 / 4)
    "200, 1.960784", // 1 / 0.51
    "250, 2.902730", // along the tangent: 1.960784 + 0.5 * 0.49 * 1.960784^2
  })
  void followsTheChanceThatBothAreBusy(double sum, double expected) {
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
