package dev.cotenant.engine.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.lifecycle.Drift;
import dev.cotenant.engine.testing.SampleRows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is learned from a pod that has a GPU alone. */
class SoloRunTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final DeviceId A100 = new DeviceId("a100-40gb");

  /** Thirty samples a minute apart, from so many minutes after noon. */
  private static GpuReading gpu(int fromMinute, @Nullable Double percent) {
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      samples.add(
          new MemorySample(
              NOON.plusSeconds(60L * (fromMinute + i)), MemorySize.ofMiB(i == 17 ? 6_000 : 5_000)));
    }
    return new GpuReading(
        "GPU-1",
        "node",
        DeviceCatalogue.builtIn().require("a100-40gb"),
        MemorySize.ofGiB(39),
        new Tenancy.Shared(List.of()),
        new MemorySeries(samples),
        percent == null ? null : Utilization.ofPercent(percent));
  }

  private static Prediction prediction(double mean, double upper) {
    return new Prediction(
        A100,
        8,
        RunSettings.DEFAULT,
        new UtilizationEstimate(
            Utilization.ofPercent(mean),
            Utilization.IDLE,
            Utilization.ofPercent(upper),
            Coverage.of(0.9)),
        new MemoryEstimate(MemorySize.ZERO, MemorySize.ZERO, MemorySize.ofGiB(1), null),
        "v",
        List.of());
  }

  private static SoloRun run() {
    return new SoloRun("resnet50", SampleRows.features(8), prediction(40, 60), NOON);
  }

  @Test
  void becomesARowWithTheMeanUtilizationAndThePeakOfUsedMemory() {
    ProfileRow row = run().measured(gpu(5, 55.0)).orElseThrow();
    assertThat(row.utilization()).isEqualTo(Utilization.ofPercent(55));
    assertThat(row.peakMemory()).isEqualTo(MemorySize.ofMiB(6_000));
    assertThat(row.source()).isEqualTo("cluster");
    assertThat(row.family()).isEqualTo("resnet50");
    assertThat(row.device()).isEqualTo(A100);
    assertThat(row.features()).isEqualTo(SampleRows.features(8));
  }

  @Test
  void saysNothingBeforeTheWholeWindowIsItsOwnAndSettled() {
    assertThat(run().measured(gpu(4, 55.0))).isEmpty();
    assertThat(run().measured(gpu(-20, 55.0))).isEmpty();
  }

  @Test
  void saysNothingOfWhatWasNotMeasured() {
    assertThat(run().measured(gpu(5, null))).isEmpty();
  }

  @Test
  void driftIsTheMeanLogarithmAndTheShareAboveTheBound() {
    Drift drift = new Drift();
    assertThat(drift.bias(A100)).isNaN();
    assertThat(drift.aboveUpper(A100)).isNaN();
    // 49 % and 99 % where 49 % was predicted with 60 % as the bound: ln(50/50) = 0, ln(100/50) =
    // 0.693.
    drift.add(A100, Drift.miss(prediction(49, 60), SampleRows.row(8, 49)).orElseThrow());
    drift.add(A100, Drift.miss(prediction(49, 60), SampleRows.row(8, 99)).orElseThrow());
    assertThat(drift.bias(A100)).isCloseTo(Math.log(2) / 2, within(1e-12));
    assertThat(drift.aboveUpper(A100)).isEqualTo(0.5);
  }

  @Test
  void driftForgetsWhatIsOld() {
    Drift drift = new Drift();
    drift.add(A100, Drift.miss(prediction(49, 60), SampleRows.row(8, 99)).orElseThrow());
    for (int i = 0; i < 200; i++) {
      drift.add(A100, Drift.miss(prediction(49, 60), SampleRows.row(8, 49)).orElseThrow());
    }
    assertThat(drift.aboveUpper(A100)).isZero();
  }
}
