package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.admission.pod.MetricQuery;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.testing.RealPrometheus;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real metrics server with ten minutes of samples, every 15 s, of pods that count 2 steps a
 * second, of one that fell silent three minutes ago, and of one that is ten times as fast.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PodMetricsTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration WINDOW = Duration.ofMinutes(2);
  private static final int SAMPLES = 41;

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

  private static String openMetrics() {
    StringBuilder text = new StringBuilder();
    text.append("# TYPE steps counter\n");
    each(text, "steps_total", "", 2);
    text.append("# TYPE step_seconds gauge\n");
    for (int i = 0; i < SAMPLES; i++) {
      line(text, "step_seconds", "a", "", 0.5, at(i));
    }
    text.append("# TYPE request_seconds histogram\n");
    each(text, "request_seconds_bucket", ",le=\"0.1\"", 1);
    each(text, "request_seconds_bucket", ",le=\"0.2\"", 2);
    each(text, "request_seconds_bucket", ",le=\"+Inf\"", 2);
    each(text, "request_seconds_count", "", 2);
    each(text, "request_seconds_sum", "", 0.2);
    text.append("# TYPE nv_inference_request_duration_us unknown\n");
    each(text, "nv_inference_request_duration_us", "", 50_000);
    text.append("# TYPE nv_inference_request_success unknown\n");
    each(text, "nv_inference_request_success", "", 2);
    return text.append("# EOF\n").toString();
  }

  private static long at(int sample) {
    return NOW.getEpochSecond() - 15L * (SAMPLES - 1 - sample);
  }

  private static void each(StringBuilder text, String metric, String labels, double perSecond) {
    for (int i = 0; i < SAMPLES; i++) {
      line(text, metric, "a", labels, perSecond * 15 * i, at(i));
    }
    for (int i = 0; i < SAMPLES - 12; i++) {
      line(text, metric, "silent", labels, perSecond * 15 * i, at(i));
    }
    for (int i = 0; i < SAMPLES; i++) {
      line(text, metric, "fast", labels, 10 * perSecond * 15 * i, at(i));
    }
  }

  private static void line(
      StringBuilder text, String metric, String pod, String labels, double value, long at) {
    text.append(metric)
        .append("{namespace=\"team-a\",pod=\"")
        .append(pod)
        .append('"')
        .append(labels)
        .append("} ")
        .append(value)
        .append(' ')
        .append(at)
        .append('\n');
  }

  private OptionalDouble value(MetricQuery query, String namespace, String pod) {
    PrometheusSettings settings = PrometheusSettings.of(Objects.requireNonNull(server).url());
    try (PrometheusClient client = new PrometheusClient(settings)) {
      return client.value(query.promQl(new PodIdentity(namespace, pod, null), WINDOW), NOW);
    }
  }

  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({
    "rate(steps_total), a, 2",
    "rate(steps_total), fast, 20",
    "step_seconds, a, 0.5",
    "inverse(step_seconds), a, 2"
  })
  void readsSpeeds(String text, String pod, double speed) {
    assertThat(value(MetricQuery.speed(text).orElseThrow(), "team-a", pod).orElseThrow())
        .isCloseTo(speed, within(1e-6));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"p99(request_seconds), 0.198", "mean(request_seconds), 0.1", "triton, 0.025"})
  void readsLatencies(String text, double seconds) {
    assertThat(value(MetricQuery.latency(text).orElseThrow(), "team-a", "a").orElseThrow())
        .isCloseTo(seconds, within(1e-6));
  }

  @ParameterizedTest(name = "{1}/{2}")
  @CsvSource({
    "rate(steps_total), team-a, silent",
    "rate(steps_total), team-a, nobody",
    "rate(steps_total), team-b, a",
    "rate(no_such_metric), team-a, a"
  })
  void staleAndForeignSamplesAreNone(String text, String namespace, String pod) {
    assertThat(value(MetricQuery.speed(text).orElseThrow(), namespace, pod)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          steps_total
          steps_total{
          1 / vector(0)
          vector(0) / vector(0)
          """)
  void severalNoneOrAbsurdNumbersAreNone(String expression) {
    PrometheusSettings settings = PrometheusSettings.of(Objects.requireNonNull(server).url());
    try (PrometheusClient client = new PrometheusClient(settings)) {
      assertThat(client.value(expression, NOW)).isEmpty();
      assertThat(client.value("vector(7)", NOW)).hasValue(7);
    }
  }

  @Test
  void aServerThatIsDownIsNamed() {
    PrometheusSettings settings = PrometheusSettings.of(URI.create("http://127.0.0.1:1"));
    try (PrometheusClient client = new PrometheusClient(settings)) {
      assertThatThrownBy(() -> client.value("vector(7)", NOW))
          .isInstanceOf(MetricsUnreachableException.class)
          .hasMessageContaining("http://127.0.0.1:1");
    }
  }
}
