package dev.cotenant.predictor.cache;

import static dev.cotenant.predictor.cache.CachedRunBench.A100;
import static dev.cotenant.predictor.cache.CachedRunBench.NOW;
import static dev.cotenant.predictor.cache.CachedRunBench.TRAINING;
import static dev.cotenant.predictor.cache.CachedRunBench.features;
import static dev.cotenant.predictor.cache.CachedRunBench.predict;
import static dev.cotenant.predictor.cache.CachedRunBench.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.predictor.layer.LayeredPredictor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What many runs, and runs that contradict each other, make of estimates and bounds. */
class CachedRunBoundsTest {
  /*
   * 600 runs, three at a time, whose order nobody knows. By their figures each would be above what was
   * expected, and never below; shuffled, what is left is that of two the higher is expected.
   */
  @Test
  void isNotBiasedByRunsOfOneInstant() {
    Random random = new Random(17);
    List<MeasuredRun> runs = new ArrayList<>();
    for (int batch = 1; batch <= 200; batch++) {
      for (int i = 0; i < 3; i++) {
        runs.add(run(batch, measured(random, 0.1), 3_000));
      }
    }

    UtilizationEstimate estimate =
        predict(append(runs, run(1_000, 40, 3_000)), 1_000).utilization();

    double above = Math.log1p(estimate.upper().percent()) - Math.log(41);
    double below = Math.log(41) - Math.log1p(estimate.lower().percent());
    assertThat(above).isCloseTo(below, within(0.08));
  }

  private static List<MeasuredRun> append(List<MeasuredRun> runs, MeasuredRun last) {
    List<MeasuredRun> all = new ArrayList<>(runs);
    all.add(last);
    return all;
  }

  @Test
  void isNotPoisonedByOneWildRow() {
    List<MeasuredRun> sane =
        List.of(run(32, 50, 3_000), run(32, 51, 3_010), run(32, 49, 3_005), run(64, 70, 4_000));
    Prediction before = predict(sane, 32);
    Prediction neighbour = predict(sane, 64);
    for (MeasuredRun wild : List.of(run(32, 0, 1), run(32, 100, 39_000))) {
      List<MeasuredRun> poisoned = new ArrayList<>(sane);
      poisoned.add(wild);

      Prediction after = predict(poisoned, 32);

      assertThat(after.utilization().mean().percent()).isBetween(49.9, 51.1);
      assertThat(after.utilization().upper().percent())
          .isBetween(55.0, before.utilization().upper().percent() * 1.15);
      assertThat(after.peakMemory().upper().toMiB()).isBetween(3_000.0, 3_300.0);
      assertThat(predict(poisoned, 64).utilization().upper().percent())
          .isBetween(70.0, neighbour.utilization().upper().percent() * 1.15);
    }
  }

  /** Runs that contradict each other keep the bounds apart, the higher ones being believed. */
  @Test
  void coversBothKindsOfRunsWhereTheyContradictEachOther() {
    List<MeasuredRun> runs =
        List.of(run(32, 30, 3_000), run(32, 60, 3_000), run(32, 31, 3_000), run(32, 61, 3_000));

    UtilizationEstimate estimate = predict(runs, 32).utilization();

    assertThat(estimate.upper().percent()).isGreaterThanOrEqualTo(61);
    assertThat(estimate.lower().percent()).isLessThanOrEqualTo(31);
    assertThat(estimate.mean().percent()).isBetween(60.0, 61.0);
  }

  /** Where runs scatter by 20 %, bounds of configurations that ran once know it. */
  @Test
  void learnsFromRepetitionsHowWellRunsRepeat() {
    Random random = new Random(3);
    List<MeasuredRun> runs = new ArrayList<>();
    for (int batch = 1; batch <= 60; batch++) {
      for (int i = 0; i < 4; i++) {
        runs.add(run(batch, 40 * Math.exp(0.2 * random.nextGaussian()), 3_000));
      }
    }
    runs.add(run(100, 40, 3_000));

    Prediction once = predict(runs, 100);

    assertThat(once.utilization().upper().percent()).isGreaterThan(48);
  }

  /** Nine in ten runs that come stay below the bound, whatever the scatter. */
  @Test
  void keepsItsBoundsInNineOfTenCases() {
    Random random = new Random(11);
    for (double scatter : new double[] {0.01, 0.05, 0.15}) {
      List<MeasuredRun> runs = new ArrayList<>();
      for (int batch = 1; batch <= 400; batch++) {
        int times = 1 + random.nextInt(3);
        for (int i = 0; i < times; i++) {
          runs.add(run(batch, measured(random, scatter), 3_000));
        }
      }
      MeasuredRunCache memory = MeasuredRunCache.of(runs, NOW);
      LayeredPredictor predictor =
          LayeredPredictor.of(CachedRunBench::model, new MeasuredRunLayer(() -> memory));
      int within = 0;
      for (int batch = 1; batch <= 400; batch++) {
        Prediction prediction = predictor.predict(features(batch), TRAINING, A100);
        within += measured(random, scatter) <= prediction.utilization().upper().percent() ? 1 : 0;
      }
      assertThat(within).as("scatter %s", scatter).isGreaterThan(350);
    }
  }

  private static double measured(Random random, double scatter) {
    return 41 * Math.exp(scatter * random.nextGaussian()) - 1;
  }

  @Test
  void doesNotDependOnTheOrderInWhichRunsAreRead() {
    List<MeasuredRun> runs = new ArrayList<>();
    Random random = new Random(7);
    for (int i = 0; i < 60; i++) {
      runs.add(run(1 + i % 7, 20 + 40 * random.nextDouble(), 2_000 + i, Duration.ofHours(i % 9)));
    }
    Prediction before = predict(runs, 3);
    for (int round = 0; round < 20; round++) {
      Collections.shuffle(runs, random);
      assertThat(predict(runs, 3)).isEqualTo(before);
    }
  }

  @Test
  void neverBoundsBelowItsEstimate() {
    Random random = new Random(13);
    for (int round = 0; round < 300; round++) {
      List<MeasuredRun> runs = new ArrayList<>();
      int count = random.nextInt(6);
      for (int i = 0; i < count; i++) {
        runs.add(
            run(
                1 + random.nextInt(3),
                100 * random.nextDouble(),
                1 + random.nextInt(40_000),
                Duration.ofHours(random.nextInt(3_000))));
      }
      Prediction prediction = predict(runs, 2); // its records refuse bounds that are out of order
      assertThat(prediction.utilization().upper().percent()).isLessThanOrEqualTo(100);
    }
  }
}
