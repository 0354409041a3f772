package dev.cotenant.predictor.cache;

import static dev.cotenant.predictor.cache.CachedRunBench.A100;
import static dev.cotenant.predictor.cache.CachedRunBench.DEVICES;
import static dev.cotenant.predictor.cache.CachedRunBench.NOTE;
import static dev.cotenant.predictor.cache.CachedRunBench.NOW;
import static dev.cotenant.predictor.cache.CachedRunBench.TRAINING;
import static dev.cotenant.predictor.cache.CachedRunBench.features;
import static dev.cotenant.predictor.cache.CachedRunBench.model;
import static dev.cotenant.predictor.cache.CachedRunBench.predict;
import static dev.cotenant.predictor.cache.CachedRunBench.row;
import static dev.cotenant.predictor.cache.CachedRunBench.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.MeasuredHere;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Beside a model that says 40 % (30 to 50) and 4 GiB (3 to 6) of everything. */
class MeasuredRunLayerTest {
  private static final Set<MeasuredHere.Target> MEMORY = Set.of(MeasuredHere.Target.PEAK_MEMORY);
  private static final Set<MeasuredHere.Target> BOTH =
      Set.of(MeasuredHere.Target.UTILIZATION, MeasuredHere.Target.PEAK_MEMORY);

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
    RunSettings half = RunSettings.of(ExecutionMode.TRAINING, Precision.FP16);
    RunSettings serving = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

    assertThat(predict(runs, 64)).isEqualTo(model(features(64), TRAINING, A100));
    assertThat(predict(runs, 32, half, A100)).isEqualTo(model(features(32), half, A100));
    assertThat(predict(runs, 32, serving, A100)).isEqualTo(model(features(32), serving, A100));
    Device t4 = DEVICES.require("t4");
    assertThat(predict(runs, 32, TRAINING, t4)).isEqualTo(model(features(32), TRAINING, t4));
    assertThat(predict(List.of(), 32)).isEqualTo(model(features(32), TRAINING, A100));
  }

  @Test
  void forgetsARunAfterAQuarterOfAYear() {
    Duration old = MeasuredRunCache.LIFETIME.plusSeconds(1);

    assertThat(predict(List.of(run(32, 50, 3_000, old)), 32).measured()).isNull();
    assertThat(predict(List.of(run(32, 50, 3_000, MeasuredRunCache.LIFETIME)), 32).measured())
        .isNotNull();
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
    MeasuredRunCache memory = MeasuredRunCache.of(List.of(run(32, 50, 3_000)), NOW);
    ModelFeatures read =
        features(32).with(new BackwardMemory(MemorySize.ofMiB(7), MemorySize.ofMiB(1)));

    Prediction prediction =
        LayeredPredictor.of(CachedRunBench::model, new MeasuredRunLayer(() -> memory))
            .predict(read, TRAINING, A100);

    assertThat(prediction.utilization().mean().percent()).isCloseTo(50, within(1e-9));
  }

  /* A lower bound of 0 %: 3 · ln(41) below would take all; a tenth is 41 / 10 − 1 = 3.1 %. */
  @Test
  void doesNotBelieveOneRunBelowATenthHoweverWideTheBoundsAre() {
    FeaturePredictor unsure =
        request -> {
          Prediction sure = model(request);
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
      MeasuredRunCache memory = MeasuredRunCache.of(List.of(run(32, percent, 3_000)), NOW);

      Prediction prediction =
          LayeredPredictor.of(unsure, new MeasuredRunLayer(() -> memory))
              .predict(features(32), TRAINING, A100);

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
    RunSettings serving = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
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

  /** The model expects 40 % with a lower bound of 30 %, and 4 GiB. */
  @Test
  void predictsAJobThatWaitsForInputAtItsMeasuredUtilization() {
    Prediction second = predict(List.of(run(32, 6, 4_000)), 32);

    assertThat(second.utilization().mean().percent()).isCloseTo(6, within(1e-9));
    assertThat(second.utilization().upper().percent()).isCloseTo(30, within(1e-9));
    assertThat(second.measured())
        .isEqualTo(new MeasuredHere(BOTH, 1, NOW.minus(Duration.ofDays(1))));
    assertThat(second.warnings()).singleElement().asString().contains("6.0 %", "input-bound");

    Prediction third = predict(List.of(run(32, 6, 4_000), run(32, 6.2, 4_000)), 32);
    assertThat(third.utilization().upper().percent()).isLessThan(8);
    assertThat(third.warnings()).isEmpty();
  }

  @Test
  void doesNotTakeAnIdleJobForAnInputBoundOne() {
    Prediction prediction = predict(List.of(run(32, 0.9, 4_000)), 32);

    assertThat(prediction.utilization())
        .isEqualTo(model(features(32), TRAINING, A100).utilization());
    assertThat(prediction.measured()).extracting(MeasuredHere::targets).isEqualTo(MEMORY);
  }

  @Test
  void namesTheRepetitionsBehindItsBounds() {
    assertThat(predict(List.of(run(32, 50, 3_000)), 32).utilization().group()).isNull();
    assertThat(predict(List.of(run(32, 50, 3_000), run(32, 51, 3_000)), 32).utilization().group())
        .isEqualTo(new CalibrationGroup("repeated runs on this cluster", 1));
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
