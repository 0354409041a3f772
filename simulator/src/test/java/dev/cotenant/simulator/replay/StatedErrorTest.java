package dev.cotenant.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.Trace;
import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.simulator.pairs.MeasuredPairs;
import dev.cotenant.simulator.pairs.PairSets;
import dev.cotenant.simulator.world.Phase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatedErrorTest {
  private static final DeviceId DEVICE = new DeviceId("a100-40gb");

  private static double speed(StatedError error, String own, String other, double percent) {
    return error.speed(
        new Phase.Load(own, percent), List.of(new Phase.Load(other, percent)), DEVICE);
  }

  @Test
  void errsLittleWhereLittleIsShared() {
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

  @Test
  void deviatesAsTheCurveDoesOnGavelsPairs() {
    Trace.Pairs pairs =
        (Trace.Pairs)
            Importers.TRACES
                .open("gavel-pairs:" + OutsideData.require("data/gavel/pair_throughput.csv"))
                .get();
    List<MeasuredPairs.Point> points =
        new PairSets(DeviceCatalogue.builtIn(), Predictor.builtIn())
            .ofShipped(pairs.rows(), pairs.graphs()).stream()
                .flatMap(device -> device.points().stream())
                .toList();
    double squares =
        points.stream()
            .mapToDouble(
                point -> Math.pow((1 / point.slowdown() - mean(point)) / (1 - mean(point)), 2))
            .sum();
    assertThat(Math.sqrt(squares / points.size())).isCloseTo(StatedError.DEVIATION, within(0.01));
  }

  /** Nothing is learned from Lucid's pairs; the slower job of each is what the curve is about. */
  @Test
  void lucidsPairsDeviateMoreBelowAFullGpuAndLessAbove() {
    Map<String, TrainingPair> slower = new HashMap<>();
    for (TrainingPair row :
        new LucidPairsSource(OutsideData.require("data/lucid")).read().training()) {
      slower.merge(
          row.pair(),
          row,
          (one, two) -> one.normalisedSpeed() <= two.normalisedSpeed() ? one : two);
    }
    double[] squares = new double[2];
    double[] losses = new double[2];
    for (TrainingPair row : slower.values()) {
      TrainingPair.Usage own = row.own().usage();
      TrainingPair.Usage other = row.other().usage();
      if (own != null && other != null) {
        double sum = own.utilizationPercent() + other.utilizationPercent();
        double mean = mean(new MeasuredPairs.Point(sum, 1));
        int above = sum > 100 ? 1 : 0;
        squares[above] += Math.pow(Math.min(1, row.normalisedSpeed()) - mean, 2);
        losses[above] += Math.pow(StatedError.DEVIATION * (1 - mean), 2);
      }
    }
    assertThat(squares[0]).isGreaterThan(losses[0]);
    assertThat(squares[1]).isLessThan(losses[1]);
  }

  private static double mean(MeasuredPairs.Point point) {
    return 1
        / new SummedUtilizationCurve()
            .slowdown(SummedUtilization.ofPercent(point.summedPercent()))
            .ratio();
  }
}
