package dev.cotenant.forecast.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.testing.RealPrometheus;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real server with back-dated samples of four GPUs: one scraped twice as often as it is collected
 * and in two pods, one that fell silent ten minutes ago, one split by MIG, one with a blank value.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RealPrometheusTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final int SAMPLES = 121;

  @TempDir private static Path folder;
  private @Nullable RealPrometheus server;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server =
        RealPrometheus.start(
            folder, Files.writeString(folder.resolve("samples.om"), openMetrics()));
  }

  @AfterAll
  void stop() throws InterruptedException {
    if (server != null) {
      server.close();
    }
  }

  private URI url() {
    return Objects.requireNonNull(server).url();
  }

  /** Every 15 s for half an hour; a value lasts 30 s, as long as its collection. */
  private static String openMetrics() {
    StringBuilder text = new StringBuilder("# TYPE DCGM_FI_DEV_FB_USED gauge\n");
    for (int i = 0; i < SAMPLES; i++) {
      long at = NOW.getEpochSecond() - 15L * (SAMPLES - 1 - i);
      long used = 1_000 + 10L * (i / 2);
      String one = "UUID=\"GPU-1\",Hostname=\"n1\",modelName=\"NVIDIA A100-SXM4-40GB\"";
      line(text, "USED", one + ",exported_pod=\"a\",exported_namespace=\"x\"", used, at);
      line(text, "USED", one + ",exported_pod=\"b\",exported_namespace=\"x\"", used, at);
      if (i < SAMPLES - 40) {
        line(text, "USED", "UUID=\"GPU-2\",hostname=\"n2\"", 2_000, at);
      }
      line(text, "USED", "UUID=\"GPU-3\",GPU_I_ID=\"7\",GPU_I_PROFILE=\"1g.5gb\"", 300, at);
      line(text, "USED", "UUID=\"GPU-4\"", i == 60 ? 9_223_372_036_854_775_794L : 400, at);
    }
    text.append("# TYPE DCGM_FI_DEV_FB_FREE gauge\n");
    line(text, "FREE", "UUID=\"GPU-1\",Hostname=\"n1\"", 38_000, NOW.getEpochSecond());
    return text.append("# EOF\n").toString();
  }

  private static void line(StringBuilder text, String metric, String labels, long value, long at) {
    text.append("DCGM_FI_DEV_FB_").append(metric).append('{').append(labels).append("} ");
    text.append(value).append(' ').append(at).append('\n');
  }

  private MetricsReading.Fetched read() {
    PrometheusSettings settings = PrometheusSettings.of(url());
    try (PrometheusClient client = new PrometheusClient(settings)) {
      return (MetricsReading.Fetched) client.read(NOW);
    }
  }

  @Test
  void readsAWholeCluster() {
    MetricsReading.Fetched reading = read();
    assertThat(reading.devices())
        .extracting(DeviceMetrics::uuid)
        .containsExactly("GPU-1", "GPU-2", "GPU-3", "GPU-4");
    assertThat(reading.devices())
        .extracting(DeviceMetrics::mig)
        .containsExactly(false, false, true, false);
    assertThat(reading.dropped().blank()).isEqualTo(1);
  }

  @Test
  void givesBackWhatWasRecorded() {
    DeviceMetrics device = read().devices().getFirst();
    assertThat(device.node()).isEqualTo("n1");
    assertThat(device.pods()).containsExactly("x/a", "x/b");
    // i/2 counts the 30 s steps: the last of 61 holds 1000 + 10 · 60
    assertThat(device.used().samples()).hasSize(60);
    assertThat(device.used().last()).contains(new MemorySample(NOW, MemorySize.ofMiB(1_600)));
    assertThat(device.used().samples().getFirst())
        .isEqualTo(new MemorySample(NOW.minusSeconds(59 * 30), MemorySize.ofMiB(1_010)));
    assertThat(device.capacity()).isEqualTo(MemorySize.ofMiB(39_600));
    List<Double> steps =
        device.used().samples().stream().map(s -> s.used().toMiB()).distinct().toList();
    assertThat(steps).hasSize(60); // no value twice, though it was scraped twice
  }

  @Test
  void showsASilentDeviceWithItsTrueAge() {
    // The newest of 81 samples is ten minutes old; the server repeats it for five of them.
    DeviceMetrics silent = read().devices().get(1);
    assertThat(Duration.between(silent.used().last().orElseThrow().at(), NOW))
        .isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void saysWhyTheServerRefuses() {
    PrometheusSettings defaults = PrometheusSettings.of(url());
    PrometheusSettings broken =
        new PrometheusSettings(
            defaults.url(),
            new PrometheusSettings.Metrics("a", "b", "c", "cluster=", 1),
            defaults.range(),
            defaults.access(),
            defaults.limits());
    try (PrometheusClient client = new PrometheusClient(broken)) {
      assertThat(client.read(NOW))
          .isInstanceOfSatisfying(
              MetricsReading.Failed.class,
              failed -> assertThat(failed.message()).contains("HTTP 400", "parse error"));
    }
  }
}
