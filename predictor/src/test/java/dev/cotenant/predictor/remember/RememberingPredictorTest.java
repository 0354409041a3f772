package dev.cotenant.predictor.remember;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MeasuredHere;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.FeaturePredictor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Beside a model that says 40 % (30 to 50) and 4 GiB (3 to 6) of everything. */
class RememberingPredictorTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  private static final Device A100 = DEVICES.require("a100-40gb");
  private static final Instant NOW = Instant.parse("2026-11-21T00:00:00Z");
  private static final RunSettings TRAINING = RunSettings.DEFAULT;
  private static final String NOTE = "Training had no such model.";

  private static final Set<MeasuredHere.Target> MEMORY = Set.of(MeasuredHere.Target.PEAK_MEMORY);
  private static final Set<MeasuredHere.Target> BOTH =
      Set.of(MeasuredHere.Target.UTILIZATION, MeasuredHere.Target.PEAK_MEMORY);

  private static Prediction model(ModelFeatures features, RunSettings settings, Device device) {
    return new Prediction(
        device.id(),
        features.batchSize(),
        settings,
        new UtilizationEstimate(
            Utilization.ofPercent(40),
            Utilization.ofPercent(30),
            Utilization.ofPercent(50),
            Coverage.of(0.8)),
        new MemoryEstimate(
            MemorySize.ofGiB(4), MemorySize.ofGiB(3), MemorySize.ofGiB(6), Coverage.of(0.8)),
        "model",
        List.of(NOTE));
  }

  private static ModelFeatures features(int batch) {
    return new ModelFeatures(
        new LayerCounts(20, 1, 17, 20),
        20,
        11_689_512,
        MemorySize.ofMiB(45),
        1_800_000_000L * batch,
        MemorySize.ofMiB(20L * batch),
        MemorySize.ofBytes(602_112L * batch),
        batch);
  }

  private static MeasuredRun run(int batch, double percent, long mebibytes) {
    return run(batch, percent, mebibytes, Duration.ofDays(1));
  }

  private static MeasuredRun run(int batch, double percent, long mebibytes, Duration age) {
    Measurement measured =
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(percent))
            .withPeakMemory(MemorySize.ofMiB(mebibytes));
    return new MeasuredRun(row(batch, TRAINING, measured), NOW.minus(age));
  }

  private static ProfileRow row(int batch, RunSettings settings, Measurement measured) {
    return new ProfileRow(
        "cluster",
        "resnet18",
        "resnet18",
        features(batch),
        settings,
        A100.id(),
        measured,
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  private static Prediction predict(List<MeasuredRun> runs, int batch) {
    return predict(runs, batch, TRAINING, A100);
  }

  private static Prediction predict(
      List<MeasuredRun> runs, int batch, RunSettings settings, Device device) {
    RunMemory memory = RunMemory.of(runs, NOW);
    return new RememberingPredictor(RememberingPredictorTest::model, () -> memory)
        .predict(features(batch), settings, device);
  }

  /*
   * One run at 50 %: of the forty deviations of elsewhere the ceil(41 · 0.9) = 37th is 0.128, so
   * that the upper bound is 51 · e^0.128 − 1 = 56.97 %. Memory: 3,000 MiB · e^0.05 = 3,154 MiB.
   */
  @Test
  void answersWithTheOneRunThereIsAndTheSpreadOfRunsElsewhere() {
    Prediction prediction = predict(List.of(run(32, 50, 3_000)), 32);

    assertThat(prediction.utilization().mean().percent()).isCloseTo(50, within(1e-9));
    assertThat(prediction.utilization().upper().percent()).isCloseTo(56.97, within(0.01));
    assertThat(prediction.utilization().lower().percent()).isCloseTo(43.87, within(0.01));
    assertThat(prediction.peakMemory().mean().toMiB()).isCloseTo(3_000, within(0.01));
    assertThat(prediction.peakMemory().upper().toMiB()).isCloseTo(3_153.8, within(0.1));
    assertThat(prediction.coverage()).contains(Coverage.of(0.9));
    assertThat(prediction.measured())
        .isEqualTo(new MeasuredHere(BOTH, 1, NOW.minus(Duration.ofDays(1))));
    assertThat(prediction.warnings()).isEmpty();
  }

  @Test
  void asksTheModelWhereAnythingIsOtherwise() {
    List<MeasuredRun> runs = List.of(run(32, 50, 3_000));
    RunSettings half = new RunSettings(ExecutionMode.TRAINING, Precision.FP16);
    RunSettings serving = new RunSettings(ExecutionMode.INFERENCE, Precision.FP32);

    assertThat(predict(runs, 64)).isEqualTo(model(features(64), TRAINING, A100));
    assertThat(predict(runs, 32, half, A100)).isEqualTo(model(features(32), half, A100));
    assertThat(predict(runs, 32, serving, A100)).isEqualTo(model(features(32), serving, A100));
    Device t4 = DEVICES.require("t4");
    assertThat(predict(runs, 32, TRAINING, t4)).isEqualTo(model(features(32), TRAINING, t4));
    assertThat(predict(List.of(), 32)).isEqualTo(model(features(32), TRAINING, A100));
  }

  @Test
  void forgetsARunAfterAQuarterOfAYear() {
    Duration old = RunMemory.LIFETIME.plusSeconds(1);

    assertThat(predict(List.of(run(32, 50, 3_000, old)), 32).measured()).isNull();
    assertThat(predict(List.of(run(32, 50, 3_000, RunMemory.LIFETIME)), 32).measured()).isNotNull();
  }

  @Test
  void remembersEachTargetForItself() {
    Measurement onlyMemory = Measurement.NONE.withPeakMemory(MemorySize.ofMiB(3_500));
    MeasuredRun run = new MeasuredRun(row(32, TRAINING, onlyMemory), NOW);

    Prediction prediction = predict(List.of(run), 32);

    assertThat(prediction.utilization())
        .isEqualTo(model(features(32), TRAINING, A100).utilization());
    assertThat(prediction.peakMemory().mean().toMiB()).isCloseTo(3_500, within(0.01));
    assertThat(prediction.warnings()).containsExactly(NOTE);
    assertThat(prediction.measured()).isEqualTo(new MeasuredHere(MEMORY, 1, NOW));
  }

  /** Utilization twice, a day ago; memory thrice, the last time now. */
  @Test
  void saysOfWhichTargetsAndUntilWhenItWasMeasured() {
    Measurement onlyMemory = Measurement.NONE.withPeakMemory(MemorySize.ofMiB(3_500));
    MeasuredRun memory = new MeasuredRun(row(32, TRAINING, onlyMemory), NOW);
    List<MeasuredRun> runs = List.of(run(32, 50, 3_400), run(32, 51, 3_400), memory);

    assertThat(predict(runs, 32).measured()).isEqualTo(new MeasuredHere(BOTH, 2, NOW));

    Measurement onlyBusy = Measurement.NONE.withUtilization(Utilization.ofPercent(50));
    Instant earlier = NOW.minus(Duration.ofDays(3));
    MeasuredRun busy = new MeasuredRun(row(32, TRAINING, onlyBusy), earlier);
    assertThat(predict(List.of(busy), 32).measured())
        .isEqualTo(new MeasuredHere(Set.of(MeasuredHere.Target.UTILIZATION), 1, earlier));
    MeasuredRun wild = run(32, 50, 30);
    assertThat(predict(List.of(busy, wild), 32).measured())
        .isEqualTo(new MeasuredHere(Set.of(MeasuredHere.Target.UTILIZATION), 2, wild.at()));
  }

  /** Rows that were stored before it was read lack what the backward pass keeps. */
  @Test
  void recognizesAConfigurationWithoutWhatItsBackwardPassKeeps() {
    RunMemory memory = RunMemory.of(List.of(run(32, 50, 3_000)), NOW);
    ModelFeatures read =
        features(32).with(new BackwardMemory(MemorySize.ofMiB(7), MemorySize.ofMiB(1)));

    Prediction prediction =
        new RememberingPredictor(RememberingPredictorTest::model, () -> memory)
            .predict(read, TRAINING, A100);

    assertThat(prediction.utilization().mean().percent()).isCloseTo(50, within(1e-9));
  }

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

  /* A lower bound of 0 %: 3 · ln(41) below would take all; a tenth is 41 / 10 − 1 = 3.1 %. */
  @Test
  void doesNotBelieveOneRunBelowATenthHoweverWideTheBoundsAre() {
    FeaturePredictor unsure =
        (features, settings, device) -> {
          Prediction sure = model(features, settings, device);
          return new Prediction(
              sure.device(),
              sure.batchSize(),
              sure.settings(),
              new UtilizationEstimate(
                  Utilization.ofPercent(40),
                  Utilization.ofPercent(0),
                  Utilization.ofPercent(100),
                  Coverage.of(0.8)),
              sure.peakMemory(),
              sure.modelVersion(),
              List.of());
        };
    for (double percent : new double[] {3, 3.2}) {
      RunMemory memory = RunMemory.of(List.of(run(32, percent, 3_000)), NOW);

      Prediction prediction =
          new RememberingPredictor(unsure, () -> memory).predict(features(32), TRAINING, A100);

      assertThat(prediction.utilization().mean().percent())
          .isCloseTo(percent < 3.1 ? 40 : percent, within(1e-9));
    }
  }

  /* 45 MiB of weights, in half precision 22.5: a training that used 22 MiB had not begun. */
  @Test
  void leavesOutPeaksThatHoldNotEvenHalfOfTheWeights() {
    List<MeasuredRun> twice = List.of(run(32, 50, 22), run(32, 51, 22));
    List<MeasuredRun> begun = List.of(run(32, 50, 23), run(32, 51, 23));

    assertThat(predict(twice, 32).peakMemory().mean()).isEqualTo(MemorySize.ofGiB(4));
    assertThat(predict(begun, 32).peakMemory().mean().toMiB()).isCloseTo(23, within(0.01));
  }

  /** How busy a server is kept is up to who asks; what it needs of memory is its own. */
  @Test
  void remembersOfInferenceOnlyMemory() {
    RunSettings serving = new RunSettings(ExecutionMode.INFERENCE, Precision.FP32);
    Measurement measured =
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(35))
            .withPeakMemory(MemorySize.ofMiB(3_500));

    Prediction prediction =
        predict(List.of(new MeasuredRun(row(8, serving, measured), NOW)), 8, serving, A100);

    assertThat(prediction.utilization().mean().percent()).isEqualTo(40);
    assertThat(prediction.peakMemory().mean().toMiB()).isCloseTo(3_500, within(0.01));
  }

  /*
   * The model: ln(41 / 31) = 0.2796 below its mean; three times that is 41 · e^−0.8387 − 1 = 16.7 %.
   * Memory: ln(4 / 3) · 3: 4 GiB · 27/64 = 1,728 MiB.
   */
  @Test
  void doesNotBelieveOneRunFarBelowWhatThePredictorExpectsButTwo() {
    Prediction idle = predict(List.of(run(32, 2, 500)), 32);

    assertThat(idle.utilization()).isEqualTo(model(features(32), TRAINING, A100).utilization());
    assertThat(idle.peakMemory()).isEqualTo(model(features(32), TRAINING, A100).peakMemory());
    assertThat(idle.measured()).isNull();
    assertThat(idle.warnings()).hasSize(3).anyMatch(line -> line.contains("2.0 %"));
    assertThat(predict(List.of(run(32, 17, 1_730)), 32).measured()).isNotNull();
    assertThat(predict(List.of(run(32, 16, 1_725)), 32).measured()).isNull();

    Prediction agreed = predict(List.of(run(32, 2, 500), run(32, 2.1, 505)), 32);
    assertThat(agreed.utilization().mean().percent()).isCloseTo(2.1, within(1e-9));
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
    assertThat(RunMemory.of(runs, NOW).checks(CorrectedTarget.UTILIZATION)).isEqualTo(60 * 3);
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
      RunMemory memory = RunMemory.of(runs, NOW);
      RememberingPredictor predictor =
          new RememberingPredictor(RememberingPredictorTest::model, () -> memory);
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

  @Test
  void leavesOutSuspectedCrashes() {
    ProfileRow clean = run(32, 50, 3_000).row();
    ProfileRow crashed =
        new ProfileRow(
            clean.source(),
            clean.family(),
            clean.topology(),
            clean.features(),
            clean.settings(),
            new DeviceId("a100-40gb"),
            clean.measurement(),
            clean.licence(),
            ProfileRow.Quality.SUSPECTED_CRASH);

    assertThat(predict(List.of(new MeasuredRun(crashed, NOW)), 32).measured()).isNull();
  }
}
