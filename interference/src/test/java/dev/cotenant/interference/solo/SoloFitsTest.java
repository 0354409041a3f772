package dev.cotenant.interference.solo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.interference.fit.IgniterCurveFit;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SoloFitsTest {
  private static final int[] BATCHES = {1, 2, 8, 32};
  private static final double[] SHARES = {20, 40, 50, 80};

  private static List<SoloPoint> points(SoloCurve truth) {
    List<SoloPoint> points = new ArrayList<>();
    for (int batch : BATCHES) {
      for (double share : SHARES) {
        points.add(new SoloPoint(batch, share, truth.millis(batch, share)));
      }
    }
    return points;
  }

  @Test
  void addsFloorAndWorkInTheNormOfTheCurve() {
    // work = (3·4 + 0)/2 = 6 against a floor of 8: (8² + 6²)^(1/2) = 10, plus 0.5·4 = 12.
    SaturatingCurve curve = new SaturatingCurve(8, 3, 0, 1, 0.5, 2);
    assertThat(curve.millis(4, 2)).isCloseTo(12, within(1e-12));
  }

  @Test
  void findsASaturatingCurveAgain() {
    SaturatingCurve truth = new SaturatingCurve(1.5, 55, 20, 0.97, 0.07, 1.6);
    SaturatingCurve found = SaturatingCurve.fit(points(truth)).require();
    for (int batch = 1; batch <= 32; batch++) {
      for (double share = 10; share <= 100; share += 10) {
        double expected = truth.millis(batch, share);
        assertThat(found.millis(batch, share)).isCloseTo(expected, within(0.02 * expected));
      }
    }
  }

  @Test
  void isMonotoneInBatchAndShare() {
    SaturatingCurve curve = SaturatingCurve.fit(points((b, r) -> 2 + 60 * b / r)).require();
    for (int batch = 1; batch < 64; batch++) {
      assertThat(curve.millis(batch + 1, 30)).isGreaterThanOrEqualTo(curve.millis(batch, 30));
      assertThat(curve.millis(8, batch + 1)).isLessThanOrEqualTo(curve.millis(8, batch));
    }
  }

  @Test
  void findsIgnitersCoefficientsFromElevenPoints() {
    ActiveTime truth = new ActiveTime(0.02, 58, 10, 0.3, 1.9);
    List<SoloPoint> eleven = points(truth::millis).subList(3, 14);
    ActiveTime found = IgniterCurveFit.fit(eleven).require();
    assertThat(found.k2()).isCloseTo(58, within(0.1));
    assertThat(found.k5()).isCloseTo(1.9, within(0.05));
    assertThat(found.millis(16, 60)).isCloseTo(truth.millis(16, 60), within(0.01));
  }

  @Test
  void saysWhyPointsAreTooFewOrTooAlike() {
    List<SoloPoint> all = points((b, r) -> 1 + 10 * b / r);
    List<SoloPoint> oneBatch = all.stream().filter(p -> p.batch() == 1).toList();
    List<SoloPoint> repeated = new ArrayList<>(oneBatch);
    repeated.addAll(oneBatch);
    assertThat(SaturatingCurve.fit(all.subList(0, 6)))
        .isEqualTo(new SoloFit.NotFitted<>("6 profile points are too few: at least 7"));
    assertThat(SoloSurface.fit(repeated)).isInstanceOf(SoloFit.NotFitted.class);
    assertThat(IgniterCurveFit.fit(repeated)).isInstanceOf(SoloFit.NotFitted.class);
    assertThat(LocallyWeightedRegression.of(oneBatch)).isInstanceOf(SoloFit.NotFitted.class);
    assertThatThrownBy(() -> IgniterCurveFit.fit(all.subList(0, 3)).require())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("too few");
  }

  @Test
  void refusesPointsThatCannotBeMeasured() {
    assertThatThrownBy(() -> new SoloPoint(1, 50, -1)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new SoloPoint(1, 101, 1)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new SoloPoint(0, 50, 1)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new SoloPoint(1, 50, Double.NaN)).isInstanceOf(InputException.class);
  }

  @Test
  void followsAPowerLawByLocalRegression() {
    // A plane in logarithms: locally weighted regression is exact, also outside the points.
    SoloCurve truth = (b, r) -> 3 * Math.pow(b, 0.9) / Math.pow(r, 0.8);
    LocallyWeightedRegression found = LocallyWeightedRegression.of(points(truth)).require();
    assertThat(found.millis(5, 33)).isCloseTo(truth.millis(5, 33), within(1e-9));
    assertThat(found.millis(40, 100)).isCloseTo(truth.millis(40, 100), within(1e-9));
  }

  @Test
  void narrowsAGuessWithEveryMeasuredRun() {
    SoloCurve guess = (b, r) -> 100 * b / r;
    SoloSurface none = SoloSurface.guessed(guess, List.of(), 0.5, 0.15).require();
    SoloSurface one =
        SoloSurface.guessed(guess, List.of(new SoloPoint(4, 50, 16)), 0.5, 0.15).require();
    SoloSurface two =
        SoloSurface.guessed(
                guess, List.of(new SoloPoint(4, 50, 16), new SoloPoint(8, 25, 64)), 0.5, 0.15)
            .require();
    assertThat(none.millis(4, 50)).isEqualTo(8);
    assertThat(one.millis(4, 50)).isBetween(15.5, 16.0);
    assertThat(one.millis(16, 20)).isBetween(140.0, 160.0); // the guess was 80
    assertThat(one.relativeDeviation(16, 20)).isLessThan(none.relativeDeviation(16, 20));
    assertThat(two.relativeDeviation(16, 20)).isLessThan(one.relativeDeviation(16, 20));
  }
}
