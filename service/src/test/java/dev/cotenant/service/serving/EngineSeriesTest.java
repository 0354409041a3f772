package dev.cotenant.service.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EngineSeriesTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  @SuppressWarnings("NullAway.Init") // before each test
  private HttpServer server;

  private final List<String> queries = new ArrayList<>();
  private int status = 200;
  private String series = "";

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String query = exchange.getRequestURI().getRawQuery() + "&" + body;
    queries.add(URLDecoder.decode(query, StandardCharsets.UTF_8));
    byte[] text =
        ("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
                + series
                + "]}}")
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  private static String server(String labels) {
    return server(labels, NOW.getEpochSecond() - 45.0);
  }

  private static String server(String labels, double scrapedAt) {
    return "{\"metric\":{"
        + labels
        + "},\"values\":[["
        + (NOW.getEpochSecond() - 30)
        + ",\""
        + scrapedAt
        + "\"]]}";
  }

  private EngineMetrics.Reading read() {
    try (EngineSeries metrics =
        new EngineSeries(
            PrometheusSettings.of(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort())))) {
      return metrics.read(NOW);
    }
  }

  @Test
  void aPoolIsItsBlocks() {
    series =
        server(
            "\"namespace\":\"team-a\",\"pod\":\"llama-0\",\"num_gpu_blocks\":\"29750\","
                + "\"block_size\":\"16\"");
    EngineMetrics.Reading reading = read();
    assertThat(reading.failure()).isEmpty();
    assertThat(reading.servers())
        .containsExactly(
            Map.entry("team-a/llama-0", new EngineMetrics.Served(476_000, NOW.minusSeconds(45))));
    assertThat(queries)
        .singleElement()
        .asString()
        .contains("timestamp({__name__=\"vllm:cache_config_info\"})");
  }

  /** The newest of several engines counts; a time that nobody can have scraped at is none. */
  @Test
  void aServerWasScrapedAtATime() {
    String labels =
        "\"namespace\":\"a\",\"pod\":\"b\",\"num_gpu_blocks\":\"7\",\"block_size\":\"16\"";
    double now = (double) NOW.getEpochSecond();
    series =
        String.join(
            ",",
            server(labels, now - 20),
            server(labels + ",\"engine\":\"1\"", now - 50),
            server(labels.replace("\"b\"", "\"c\""), now + 3_600),
            server(labels.replace("\"b\"", "\"d\""), -1),
            server(labels.replace("\"b\"", "\"e\""), Double.NaN));
    assertThat(read().servers())
        .containsExactly(Map.entry("a/b", new EngineMetrics.Served(112, NOW.minusSeconds(20))));
  }

  /** Whatever a pod exports under the name of the series. */
  @Test
  void labelsThatAreNoNumbersAreNoServers() {
    series =
        String.join(
            ",",
            server("\"namespace\":\"a\",\"pod\":\"b\""),
            server(
                "\"namespace\":\"a\",\"pod\":\"c\",\"num_gpu_blocks\":\"None\",\"block_size\":\"16\""),
            server(
                "\"namespace\":\"a\",\"pod\":\"d\",\"num_gpu_blocks\":\"-1\",\"block_size\":\"1e99\""),
            server("\"namespace\":\"a\",\"num_gpu_blocks\":\"7\",\"block_size\":\"16\""));
    assertThat(read().servers()).isEmpty();
    assertThat(read().failure()).isEmpty();
  }

  @Test
  void aServerThatFailsIsNamed() {
    status = 503;
    assertThat(read().servers()).isEmpty();
    assertThat(read().failure()).isNotEmpty();
  }
}
