package dev.cotenant.forecast.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.forecast.prometheus.MetricsReading.Cause;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is down, slow, wrong or endless: always a failure in time, never an exception. */
@Timeout(30)
class ServerFaultsTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_010);
  private FakePrometheus server;

  @BeforeEach
  void start() throws IOException {
    server = new FakePrometheus();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private MetricsReading.Failed fail(FakePrometheus.Answer answer) {
    server.range(answer);
    return fail(server.settings());
  }

  private static MetricsReading.Failed fail(PrometheusSettings settings) {
    try (PrometheusClient client = new PrometheusClient(settings)) {
      MetricsReading.Failed failed = (MetricsReading.Failed) client.read(NOW);
      assertThat(failed.message()).hasLineCount(1).contains(settings.url().toString());
      return failed;
    }
  }

  private PrometheusSettings impatient() {
    PrometheusSettings settings = server.settings();
    return new PrometheusSettings(
        settings.url(),
        settings.metrics(),
        settings.range(),
        settings.access(),
        new PrometheusSettings.Limits(
            Duration.ofSeconds(1), Duration.ofMillis(400), 1 << 20, Duration.ZERO));
  }

  @Test
  void failsWhenNobodyListens() {
    assertThat(fail(PrometheusSettings.of(URI.create("http://127.0.0.1:1"))).cause())
        .isEqualTo(Cause.UNREACHABLE);
  }

  @Test
  void failsInTimeWhenTheServerSaysNothing() {
    server.range(_ -> {});
    assertThat(fail(impatient()).cause()).isEqualTo(Cause.TIMED_OUT);
  }

  @Test
  void aNumberThatDoesNotComeInTimeConcernsOneQuery() {
    server.instant(_ -> {});
    try (PrometheusClient client = new PrometheusClient(impatient())) {
      assertThatThrownBy(() -> client.value("vector(7)", NOW))
          .isInstanceOf(MetricsTimedOutException.class)
          .hasMessageContaining("no whole answer within 400 ms");
    }
  }

  @Test
  void failsInTimeWhenBytesTrickle() {
    server.range(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      try {
        while (true) {
          exchange.getResponseBody().write(' ');
          exchange.getResponseBody().flush();
          Thread.sleep(50);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    assertThat(fail(impatient()).cause()).isEqualTo(Cause.TIMED_OUT);
  }

  @Test
  void saysWhatTheServerRefused() {
    String body =
        "{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"too many samples\"}";
    MetricsReading.Failed failed = fail(FakePrometheus.status(422, body));
    assertThat(failed.cause()).isEqualTo(Cause.REFUSED);
    assertThat(failed.message()).contains("HTTP 422", "too many samples");
    assertThat(fail(FakePrometheus.status(503, "<html>busy</html>")).cause())
        .isEqualTo(Cause.REFUSED);
    assertThat(fail(FakePrometheus.json(body)).cause()).isEqualTo(Cause.REFUSED);
    assertThat(fail(FakePrometheus.status(302, "")).cause()).isEqualTo(Cause.REFUSED);
  }

  @Test
  void refusesTruncatedAndForeignAnswers() {
    String whole = FakePrometheus.success("matrix", "{\"metric\":{},\"values\":[[1,\"2\"]]}");
    for (int length = 1; length < whole.length(); length += 7) {
      assertThat(fail(FakePrometheus.json(whole.substring(0, length))).cause())
          .isEqualTo(Cause.MALFORMED);
    }
    assertThat(fail(FakePrometheus.json("<html></html>")).cause()).isEqualTo(Cause.MALFORMED);
    assertThat(fail(FakePrometheus.json("[]")).cause()).isEqualTo(Cause.MALFORMED);
    assertThat(fail(FakePrometheus.json("{}")).cause()).isEqualTo(Cause.MALFORMED);
  }

  /** The first found by {@link ResponseFuzzTest}: milliseconds of it overflow. */
  @ParameterizedTest
  @ValueSource(strings = {"7777777777777777275", "-9223372036854775808", "1e300", "253402300800"})
  void refusesATimeThatArithmeticOnTimesCannotTake(String time) {
    MetricsReading.Failed failed =
        fail(
            FakePrometheus.json(
                FakePrometheus.success(
                    "matrix", "{\"metric\":{},\"values\":[[" + time + ",\"2\"]]}")));
    assertThat(failed.cause()).isEqualTo(Cause.MALFORMED);
    assertThat(failed.message()).contains("a time after the year 9999");
  }

  @Test
  void refusesAnotherResultType() {
    MetricsReading.Failed failed = fail(FakePrometheus.json(FakePrometheus.success("vector", "")));
    assertThat(failed.cause()).isEqualTo(Cause.MALFORMED);
    assertThat(failed.message()).contains("'vector' and no matrix");
    assertThat(
            fail(FakePrometheus.json(
                    "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\","
                        + "\"result\":[1,\"2\"]}}"))
                .cause())
        .isEqualTo(Cause.MALFORMED);
  }

  @Test
  void refusesSamplesThatAreNone() {
    for (String values :
        new String[] {"[1]", "[\"1\",\"2\"]", "[1,2]", "[1,\"x\"]", "3", "[1e99,\"1\"]"}) {
      String series = "{\"metric\":{\"UUID\":\"g\"},\"values\":[" + values + "]}";
      server.series(series);
      try (PrometheusClient client = new PrometheusClient(server.settings())) {
        MetricsReading reading = client.read(NOW);
        boolean future =
            reading instanceof MetricsReading.Fetched fetched && fetched.dropped().future() == 1;
        assertThat(reading instanceof MetricsReading.Failed || future).as(values).isTrue();
      }
    }
  }

  @Test
  void leavesOutSeriesWhoseLabelsAreTooLong() {
    String name = "GPU-" + "x".repeat(60_000);
    server.series("{\"metric\":{\"UUID\":\"" + name + "\"},\"values\":[[1699999990,\"5\"]]}");
    try (PrometheusClient client = new PrometheusClient(server.settings())) {
      MetricsReading.Fetched fetched = (MetricsReading.Fetched) client.read(NOW);
      assertThat(fetched.devices()).isEmpty();
      assertThat(fetched.dropped().nameless()).isEqualTo(1);
    }
  }

  @Test
  void keepsNoMoreOfAnAnswerThanMayBeKept() {
    for (String hostile :
        new String[] {
          "{\"metric\":{\"UUID\":\"%d" + "x".repeat(900) + "\"},\"values\":[]},",
          "{\"metric\":{\"UUID\":\"%d\"},\"values\":[]},",
          "{\"metric\":{\"UUID\":\"a\"},\"values\":[%d" + ",[1,\"1\"]".repeat(50) + "]},"
        }) {
      assertThat(parse(hostile.replace("[%d,", "["))).as(hostile).contains("more series");
    }
  }

  /** Why five thousand of such series are not read to their end within a mebibyte. */
  private static String parse(String series) {
    ResponseParser parser = new ResponseParser((_, _) -> {}, Set.of(), new RetainedBytes(1 << 20));
    StringBuilder answer = new StringBuilder("{\"data\":{\"result\":[");
    for (int i = 0; i < 5_000; i++) {
      answer.append(series.replace("%d", String.valueOf(i)));
    }
    return String.valueOf(
        org.assertj.core.api.Assertions.catchThrowable(() ->
                parser.parse(
                    new java.io.ByteArrayInputStream(
                        answer.toString().getBytes(StandardCharsets.UTF_8))))
            .getMessage());
  }

  @Test
  void stopsReadingAnEndlessAnswer() {
    // half a gigabyte of series; one megabyte is allowed
    byte[] series =
        "{\"metric\":{\"UUID\":\"GPU-1\"},\"values\":[[1699999990,\"5\"]]},"
            .repeat(1_000)
            .getBytes(StandardCharsets.UTF_8);
    MetricsReading.Failed failed =
        fail(exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange
              .getResponseBody()
              .write(
                  "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
                      .getBytes(StandardCharsets.UTF_8));
          for (long sent = 0; sent < 500L << 20; sent += series.length) {
            exchange.getResponseBody().write(series);
          }
        });
    assertThat(failed.cause()).isEqualTo(Cause.TOO_LARGE);
    assertThat(failed.message()).contains("longer than 1048576 bytes");
  }

  @Test
  void readsAgainAfterAFault() {
    try (PrometheusClient client = new PrometheusClient(server.settings())) {
      server.range(FakePrometheus.status(503, ""));
      assertThat(client.read(NOW)).isInstanceOf(MetricsReading.Failed.class);
      server.series("{\"metric\":{\"UUID\":\"GPU-1\"},\"values\":[[1699999990,\"5\"]]}");
      assertThat(client.read(NOW)).isInstanceOf(MetricsReading.Fetched.class);
    }
  }
}
