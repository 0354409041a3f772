package dev.cotenant.simulator.replay.source;

import com.sun.net.httpserver.HttpServer;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.simulator.replay.Recording;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A server with a stated history of an hour that answers as the test of it says. */
abstract class FakeHistory {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  static final long BEGIN = NOW.getEpochSecond() - 3_600;
  static final String GPU = "\"UUID\":\"GPU-1\",\"modelName\":\"NVIDIA A100-SXM4-40GB\"";

  /** Series by a part of the query; a later entry wins. */
  private final Map<String, List<UnaryOperator<String>>> answers = new TreeMap<>();

  HttpServer server;
  int count;

  /** Longer queries are refused, with this reason. */
  int answeredSteps = Integer.MAX_VALUE;

  String tooMuch = "query processing would load too many samples into memory";
  int mostSteps;

  /** Later queries get half a header. */
  int answeredQueries = Integer.MAX_VALUE;

  int queries;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/api/v1/query_range",
        exchange -> {
          String form =
              URLDecoder.decode(
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                  StandardCharsets.UTF_8);
          if (++queries > answeredQueries) {
            exchange.sendResponseHeaders(200, 1_000);
            exchange.close();
            return;
          }
          int requested = steps(form);
          mostSteps = Math.max(mostSteps, requested);
          if (requested > answeredSteps) {
            byte[] refusal = refusal(tooMuch);
            exchange.sendResponseHeaders(422, refusal.length);
            exchange.getResponseBody().write(refusal);
            exchange.close();
            return;
          }
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            write(out, form);
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static int steps(String form) {
    return (int) ((value(form, "end") - value(form, "start")) / value(form, "step")) + 1;
  }

  private static long value(String form, String key) {
    int start = form.indexOf("&" + key + "=") + key.length() + 2;
    int end = form.indexOf('&', start);
    return Long.parseLong(form.substring(start, end < 0 ? form.length() : end));
  }

  private static byte[] refusal(String reason) {
    return ("{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"" + reason + "\"}")
        .getBytes(StandardCharsets.UTF_8);
  }

  private void write(OutputStream out, String form) throws IOException {
    out.write(
        "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
            .getBytes(StandardCharsets.UTF_8));
    if (count > 0 && form.contains("FB_USED")) {
      writeMany(out);
    } else {
      String series =
          answers.entrySet().stream()
              .filter(answer -> form.contains("query=" + answer.getKey()))
              .flatMap(answer -> answer.getValue().stream())
              .map(text -> text.apply(form))
              .filter(text -> !text.isEmpty())
              .collect(Collectors.joining(","));
      out.write(series.getBytes(StandardCharsets.UTF_8));
    }
    out.write("]}}".getBytes(StandardCharsets.UTF_8));
  }

  private void writeMany(OutputStream out) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : ",").append("{\"metric\":{\"UUID\":\"GPU-").append(i);
      text.append("\"},\"values\":[[").append(BEGIN + 60).append(",\"1\"]]}");
      if (i % 10_000 == 0) {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
      }
    }
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  void series(String query, String labels, String... samples) {
    answers
        .computeIfAbsent(query, _ -> new ArrayList<>())
        .add(_ -> "{\"metric\":{" + labels + "},\"values\":[" + String.join(",", samples) + "]}");
  }

  /** A value at every minute from one to another, of which a query gets its part. */
  void steady(String query, String labels, int from, int to, String value) {
    answers
        .computeIfAbsent(query, _ -> new ArrayList<>())
        .add(form -> {
          List<String> samples = new ArrayList<>();
          for (long minute = from; minute <= to; minute++) {
            long at = BEGIN + 60 * minute;
            if (at >= value(form, "start") && at <= value(form, "end")) {
              samples.add(sample(minute, value));
            }
          }
          return samples.isEmpty()
              ? ""
              : "{\"metric\":{" + labels + "},\"values\":[" + String.join(",", samples) + "]}";
        });
  }

  static String sample(long minute, String value) {
    return "[" + (BEGIN + 60 * minute) + ",\"" + value + "\"]";
  }

  static String[] constant(int from, int to, String value) {
    List<String> samples = new ArrayList<>();
    for (int minute = from; minute <= to; minute++) {
      samples.add(sample(minute, value));
    }
    return samples.toArray(String[]::new);
  }

  static String utilization() {
    return "max by (UUID, GPU_I_ID, modelName, hostname, Hostname, namespace, pod,"
        + " exported_namespace, exported_pod) (avg_over_time";
  }

  static String used() {
    return utilization().replace("avg_over_time", "max_over_time(DCGM_FI_DEV_FB_USED");
  }

  static String pod(String name) {
    return "\"exported_namespace\":\"team\",\"exported_pod\":\"" + name + "\"";
  }

  Recording read() {
    PrometheusSettings.Limits limits =
        new PrometheusSettings.Limits(
            Duration.ofSeconds(30), Duration.ofMinutes(2), 256L << 20, Duration.ZERO);
    PrometheusSettings settings =
        PrometheusSettings.of(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
    return new PrometheusRecording(
            new PrometheusSettings(
                settings.url(), settings.metrics(), settings.range(), settings.access(), limits),
            new PrometheusRecording.Span(NOW, Duration.ofHours(1), Duration.ofMinutes(1)),
            DeviceCatalogue.builtIn().names())
        .read(_ -> {});
  }

  static List<String> findings(Recording recording) {
    return recording.findings().stream().map(Recording.Finding::toString).toList();
  }
}
