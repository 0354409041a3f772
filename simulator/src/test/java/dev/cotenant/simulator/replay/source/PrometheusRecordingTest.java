package dev.cotenant.simulator.replay.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.testing.GeneratedHistory;
import dev.cotenant.domain.testing.RealPrometheus;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.Recording;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A real server with a week of 50 GPUs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusRecordingTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration WEEK = Duration.ofDays(7);

  @TempDir private static Path folder;
  private final GeneratedHistory cluster = new GeneratedHistory(NOW, WEEK, 50);
  private @Nullable RealPrometheus server;
  private @Nullable Recording recording;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    RealPrometheus started =
        RealPrometheus.start(folder, cluster.write(folder.resolve("history.om")));
    server = started;
    recording =
        new PrometheusRecording(
                PrometheusSettings.of(started.url()),
                new PrometheusRecording.Span(NOW, WEEK, GeneratedHistory.step()),
                DeviceCatalogue.builtIn().names())
            .read(_ -> {});
  }

  @AfterAll
  void stop() throws InterruptedException {
    if (server != null) {
      server.close();
    }
  }

  private Recording recording() {
    return Objects.requireNonNull(recording);
  }

  @Test
  void reconstructsEveryJobWithItsTimes() {
    Map<String, RecordedJob> byName =
        recording().jobs().stream()
            .collect(Collectors.toMap(job -> job.origin().name(), Function.identity()));
    assertThat(byName).hasSize(cluster.pods().size());
    for (GeneratedHistory.Pod pod : cluster.pods()) {
      RecordedJob job = Objects.requireNonNull(byName.get(pod.name()));
      assertThat(job.times())
          .isEqualTo(
              new RecordedJob.Times(
                  Instant.ofEpochSecond(pod.start() - 60),
                  Instant.ofEpochSecond(pod.start()),
                  Instant.ofEpochSecond(pod.end()),
                  RecordedJob.Extent.WHOLE));
      assertThat(job.allocation())
          .isEqualTo(new RecordedJob.Allocation(pod.gpus(), new DeviceId("a100-40gb")));
    }
  }

  @Test
  void measuresJobsThatHeldOneGpu() {
    Map<String, GeneratedHistory.Pod> pods =
        cluster.pods().stream()
            .collect(Collectors.toMap(GeneratedHistory.Pod::name, Function.identity()));
    for (RecordedJob job : recording().jobs()) {
      GeneratedHistory.Pod pod = Objects.requireNonNull(pods.get(job.origin().name()));
      if (pod.gpus() == 1) {
        assertThat(Objects.requireNonNull(job.usage().utilization()).percent())
            .isCloseTo(pod.utilization(), within(1e-9));
        assertThat(job.usage().peakMemory()).isEqualTo(MemorySize.ofMiB(pod.mebibytes()));
      } else {
        assertThat(job.usage()).isEqualTo(RecordedJob.Usage.UNKNOWN);
      }
    }
  }

  @Test
  void takesOwnerAndImageForTheConfiguration() {
    assertThat(recording().jobs())
        .extracting(job -> job.origin().configuration())
        .contains("team/train@team/model-0:1", "team/train@team/model-7:1")
        .doesNotContain("");
    assertThat(
            recording().jobs().stream().map(job -> job.origin().configuration()).distinct().count())
        .isEqualTo(8);
  }

  @Test
  void countsTheFleetAndFindsNothingMissing() {
    assertThat(recording().fleet()).isEqualTo(Map.of(new DeviceId("a100-40gb"), 50));
    assertThat(recording().findings()).isEmpty();
  }
}
