package dev.cotenant.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.simulator.world.Phase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatedErrorTest {
  private static final DeviceId DEVICE = new DeviceId("a100-40gb");
  private static final double[] BINS = {50, 80, 100, 130, 160};

  private static double speed(StatedError error, String own, String other, double percent) {
    return error.speed(
        new Phase.Load(own, percent), List.of(new Phase.Load(other, percent)), DEVICE);
  }

  @Test
  void errsLittleWhereLittleIsShared() {
    assertThat(StatedError.deviation(0)).isZero();
    assertThat(StatedError.deviation(35)).isEqualTo(0.045);
    assertThat(StatedError.deviation(50)).isCloseTo(0.0525, within(1e-12));
    assertThat(StatedError.deviation(500)).isEqualTo(0.125);
    int harmed = 0;
    for (int i = 0; i < 1_000; i++) {
      harmed += speed(new StatedError(0), "a" + i, "b", 5) < 1 / 1.15 ? 1 : 0;
    }
    assertThat(harmed).isZero();
  }

  @Test
  void repeatsADrawAndDiffersBetweenDraws() {
    double speed = speed(new StatedError(1), "a", "b", 60);
    assertThat(speed(new StatedError(1), "a", "b", 60)).isEqualTo(speed);
    assertThat(speed(new StatedError(2), "a", "b", 60)).isNotEqualTo(speed);
  }

  @Test
  void drawsOfSimilarNamesAreIndependent() {
    assertThat(speed(new StatedError(1), "job-17", "b", 60))
        .isNotEqualTo(speed(new StatedError(0), "job-27", "b", 60));
  }

  /** The deviations are those of the residuals on Lucid's pairs, within 0.01. */
  @Test
  void deviatesAsTheCurveDoesOnLucidsPairs() {
    Map<String, TrainingPair> slower = new HashMap<>();
    for (TrainingPair row :
        new LucidPairsSource(OutsideData.require("data/lucid")).read().training()) {
      slower.merge(
          row.pair(),
          row,
          (one, two) -> one.normalisedSpeed() <= two.normalisedSpeed() ? one : two);
    }
    double[] squares = new double[BINS.length + 1];
    int[] counts = new int[BINS.length + 1];
    SummedUtilizationCurve curve = new SummedUtilizationCurve();
    for (TrainingPair row : slower.values()) {
      TrainingPair.Usage own = row.own().usage();
      TrainingPair.Usage other = row.other().usage();
      if (own != null && other != null) {
        double sum = own.utilizationPercent() + other.utilizationPercent();
        double expected = 1 / curve.slowdown(SummedUtilization.ofPercent(sum)).ratio();
        double residual = Math.min(1, row.normalisedSpeed()) - expected;
        int bin = 0;
        while (bin < BINS.length && sum >= BINS[bin]) {
          bin++;
        }
        squares[bin] += residual * residual;
        counts[bin]++;
      }
    }
    for (int bin = 0; bin < counts.length; bin++) {
      assertThat(counts[bin]).isGreaterThan(40);
      assertThat(StatedError.DEVIATION[bin + 1])
          .isCloseTo(Math.sqrt(squares[bin] / counts[bin]), within(0.01));
    }
  }
}
