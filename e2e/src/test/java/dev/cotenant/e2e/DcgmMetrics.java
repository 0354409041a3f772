package dev.cotenant.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a Prometheus server answers that scrapes DCGM's exporter on the nodes: an idle A100 on each,
 * for as long as anybody looks back.
 */
final class DcgmMetrics implements AutoCloseable {
  private static final int SAMPLES = 60;
  private static final int STEP_SECONDS = 30;
  private static final String USED_MIB = "455";
  private static final String FREE_MIB = "39870";

  private final HttpServer server;
  private final Names names;

  DcgmMetrics(Names names) {
    this.names = names;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Thread::startVirtualThread);
    server.createContext("/api/v1/query", exchange -> answer(exchange, "vector", newest()));
    server.createContext("/api/v1/query_range", exchange -> answer(exchange, "matrix", series()));
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange, String type, String result) throws IOException {
    exchange.getRequestBody().readAllBytes();
    byte[] body =
        "{\"status\": \"success\", \"data\": {\"resultType\": \"%s\", \"result\": [%s]}}"
            .formatted(type, result)
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String newest() {
    String now = Long.toString(Instant.now().getEpochSecond());
    return names.nodes().stream()
        .flatMap(node ->
            java.util.stream.Stream.of(
                value(node, "sampled_at", now),
                value(node, "used", USED_MIB),
                value(node, "free", FREE_MIB),
                value(node, "utilization", "0")))
        .collect(Collectors.joining(","));
  }

  private String value(String node, String quantity, String value) {
    return """
    {"metric": {"cotenant_quantity": "%s", "UUID": "%s", "Hostname": "%s",
                "modelName": "NVIDIA A100-SXM4-40GB"}, "value": [%d, "%s"]}
    """
        .formatted(quantity, names.gpu(node), node, Instant.now().getEpochSecond(), value);
  }

  private String series() {
    long now = Instant.now().getEpochSecond();
    String values =
        IntStream.range(0, SAMPLES)
            .mapToObj(
                i -> "[%d, \"%s\"]".formatted(now - (SAMPLES - 1L - i) * STEP_SECONDS, USED_MIB))
            .collect(Collectors.joining(","));
    return names.nodes().stream()
        .map(node ->
            "{\"metric\": {\"UUID\": \"%s\"}, \"values\": [%s]}".formatted(names.gpu(node), values))
        .collect(Collectors.joining(","));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
