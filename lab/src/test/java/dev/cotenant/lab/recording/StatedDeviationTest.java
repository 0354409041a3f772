package dev.cotenant.lab.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.Trace;
import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.lab.pairs.MeasuredPairs;
import dev.cotenant.lab.pairs.PairSets;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.simulator.replay.SpeedTruth;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the stated error of replays is on measured pairs. */
class StatedDeviationTest {
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
    assertThat(Math.sqrt(squares / points.size())).isCloseTo(SpeedTruth.DEVIATION, within(0.01));
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
        losses[above] += Math.pow(SpeedTruth.DEVIATION * (1 - mean), 2);
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
