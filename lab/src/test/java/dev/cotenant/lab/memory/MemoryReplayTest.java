package dev.cotenant.lab.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.lab.untimed.SimulationRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryReplayTest {
  private static final Duration STEP = Duration.ofSeconds(57);
  private static final MemorySize CAPACITY = MemorySize.ofGiB(48);

  private static RecordedDevice device(String name, long... gib) {
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 0; i < gib.length; i++) {
      Instant at = Instant.EPOCH.plus(STEP.multipliedBy(i));
      samples.add(new MemorySample(at, MemorySize.ofGiB(gib[i])));
    }
    return new RecordedDevice(name, name, new MemorySeries(samples), CAPACITY);
  }

  private static RecordedPod pod(String name, long... gib) {
    return RecordedPod.of(device(name, gib), STEP);
  }

  private static Map<String, Map<String, Double>> run(List<RecordedDevice> devices) {
    MemoryReplay replay =
        new MemoryReplay(
            new SeriesSource.Result("test", devices, List.of(), ""),
            DeviceCatalogue.builtIn().require("l40s"),
            CAPACITY,
            Engine.standard());
    Map<String, Map<String, Double>> figures = new HashMap<>();
    for (SimulationRow row : replay.run(_ -> true, _ -> {})) {
      figures.put(row.policy(), row.figures());
    }
    return figures;
  }

  private static double figure(
      Map<String, Map<String, Double>> figures, String policy, String key) {
    return figures.getOrDefault(policy, Map.of()).getOrDefault(key, Double.NaN);
  }

  @Test
  void takesTheNewestSampleAtEveryStep() {
    Instant start = Instant.EPOCH;
    RecordedPod pod =
        RecordedPod.of(
            new RecordedDevice(
                "gap",
                "gap",
                new MemorySeries(
                    List.of(
                        new MemorySample(start, MemorySize.ofBytes(1)),
                        new MemorySample(start.plusSeconds(58), MemorySize.ofBytes(2)),
                        new MemorySample(start.plusSeconds(171), MemorySize.ofBytes(3)))),
                CAPACITY),
            STEP);

    // Steps at 0, 57, 114 and 171 s.
    assertThat(pod.steps()).isEqualTo(4);
    assertThat(List.of(pod.usedBytes(0), pod.usedBytes(1), pod.usedBytes(2), pod.usedBytes(3)))
        .containsExactly(1L, 1L, 2L, 3L);
    assertThat(pod.usedBytes(4)).isZero();
    assertThat(pod.peak()).isEqualTo(MemorySize.ofBytes(3));
  }

  /*
   * 20, 40, 20 from step 0 and 10, 10, 30 from step 1: 20, 50, 30, 30. Over 48 GiB in one of four
   * steps, in which both are there; three pod-steps each, four GPU-steps: 1.5 pods a GPU.
   */
  @Test
  void countsWhoWasOnAGpuWithTooLittleMemory() {
    MemoryGpu gpu = new MemoryGpu("GPU-0", 0);
    gpu.add(pod("a", 20, 40, 20), 0);
    assertThat(gpu.peakWith(pod("b", 10, 10, 30), 1)).isEqualTo(50L << 30);
    gpu.add(pod("b", 10, 10, 30), 1);
    MemoryTotal total = new MemoryTotal(STEP, CAPACITY);
    total.add(gpu);

    assertThat(total.figures(3))
        .containsEntry("pods", 2.0)
        .containsEntry("jobs_per_gpu", 1.5)
        .containsEntry("oracle_density_percent", 50.0)
        .containsEntry("joined_pods", 1.0)
        .containsEntry("broke_memory", 1.0)
        .containsEntry("harmed_pods_percent", 100.0)
        .containsEntry("overfull_time_percent", 25.0);
  }

  /* Pods that hold 10 GiB for long: three tenants may share; requests of 35 GiB (250 %) alone. */
  @Test
  void sharesWhatStaysSmall() {
    long[] steady = new long[200];
    Arrays.fill(steady, 10);
    List<RecordedDevice> devices = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      devices.add(device("pod-" + i, steady));
    }
    Map<String, Map<String, Double>> figures = run(devices);

    for (String policy : List.of("gpushare+0%", "decide", "tenants-3", "oracle", "exclusive")) {
      assertThat(figures.get(policy)).as(policy).containsEntry("broke_memory", 0.0);
    }
    assertThat(figures.get("gpushare+250%")).containsEntry("jobs_per_gpu", 1.0);
    assertThat(figure(figures, "decide", "jobs_per_gpu")).isGreaterThan(1.9);
    assertThat(figure(figures, "oracle", "jobs_per_gpu"))
        .isGreaterThanOrEqualTo(figure(figures, "decide", "jobs_per_gpu"));
    assertThat(run(devices)).isEqualTo(figures);
  }
}
