package dev.cotenant.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The answers of a Prometheus server that scrapes DCGM's exporter on nodes whose GPUs are idle at
 * first, and servers of vLLM that a test names.
 */
final class DcgmMetrics implements AutoCloseable {
  private static final int SAMPLES = 60;
  private static final int STEP_SECONDS = 30;
  private static final Usage IDLE = new Usage(455, 0);

  private final HttpServer server;
  private final Supplier<List<GpuNode>> nodes;
  private volatile double latency = Double.NaN;
  private volatile double speed = Double.NaN;
  private final Map<String, Integer> used = new ConcurrentHashMap<>();
  private final Set<String> serving = ConcurrentHashMap.newKeySet();
  private volatile Usage usage = IDLE;

  /** Of every GPU. */
  private record Usage(long usedMib, double utilizationPercent) {}

  DcgmMetrics(Supplier<List<GpuNode>> nodes) {
    this.nodes = nodes;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Thread::startVirtualThread);
    server.createContext("/api/v1/query", this::answerInstant);
    server.createContext(
        "/api/v1/query_range",
        exchange -> {
          String query = body(exchange);
          boolean isEngine = query.contains("cache_config_info");
          answer(exchange, query, "matrix", isEngine ? engines() : series());
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Pods that name a histogram have this 99 % quantile from now on; NaN for no samples. */
  void latency(double seconds) {
    latency = seconds;
  }

  /** Pods that name the counter steps_total make so many a second from now on, and did. */
  void speed(double stepsPerSecond) {
    speed = stepsPerSecond;
  }

  /** A GPU has so much used memory from now on. */
  void used(String uuid, int mebibytes) {
    used.put(uuid, mebibytes);
  }

  /** A pod's server of vLLM exports metrics from now on. */
  void serves(String namespace, String pod) {
    serving.add("\"namespace\": \"%s\", \"pod\": \"%s\"".formatted(namespace, pod));
  }

  private String engines() {
    long now = Instant.now().getEpochSecond();
    return serving.stream()
        .map(pod ->
            ("{\"metric\": {%s, \"num_gpu_blocks\": \"4096\", \"block_size\": \"16\"},"
                    + " \"values\": [[%d, \"%d\"]]}")
                .formatted(pod, now, now))
        .collect(Collectors.joining(","));
  }

  /** All GPUs are that busy from now on, and were. */
  void busy(double utilizationPercent, long usedMib) {
    usage = new Usage(usedMib, utilizationPercent);
  }

  /** All GPUs are idle again, and nothing serves or makes steps. */
  void idle() {
    usage = IDLE;
    speed = Double.NaN;
    used.clear();
    serving.clear();
  }

  private long usedMebibytes(String uuid) {
    Integer own = used.get(uuid);
    return own == null ? usage.usedMib : own;
  }

  private static String body(HttpExchange exchange) throws IOException {
    return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
  }

  private void answerInstant(HttpExchange exchange) throws IOException {
    String query = body(exchange);
    String result =
        query.contains("histogram_quantile")
            ? number(latency)
            : query.contains("steps_total") ? number(speed) : newest();
    answer(exchange, query, "vector", result);
  }

  private static String number(double value) {
    return Double.isNaN(value)
        ? ""
        : "{\"metric\": {}, \"value\": [%d, \"%s\"]}"
            .formatted(Instant.now().getEpochSecond(), value);
  }

  private static void answer(HttpExchange exchange, String query, String type, String result)
      throws IOException {
    if (query.isEmpty()) {
      throw new IllegalArgumentException("a query is posted");
    }
    byte[] body =
        "{\"status\": \"success\", \"data\": {\"resultType\": \"%s\", \"result\": [%s]}}"
            .formatted(type, result)
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String newest() {
    return nodes.get().stream()
        .flatMap(node -> node.uuids().stream().flatMap(uuid -> newest(node, uuid)))
        .collect(Collectors.joining(","));
  }

  private Stream<String> newest(GpuNode node, String uuid) {
    long now = Instant.now().getEpochSecond();
    String metric =
        "\"UUID\": \"%s\", \"Hostname\": \"%s\", \"modelName\": \"%s\""
            .formatted(uuid, node.name(), node.product().model());
    Usage seen = usage;
    return Map.of(
            "sampled_at",
            (double) now,
            "used",
            (double) usedMebibytes(uuid),
            "free",
            (double) (node.product().usableMib() - usedMebibytes(uuid)),
            "utilization",
            seen.utilizationPercent)
        .entrySet()
        .stream()
        .map(sample ->
            "{\"metric\": {\"cotenant_quantity\": \"%s\", %s}, \"value\": [%d, \"%s\"]}"
                .formatted(sample.getKey(), metric, now, sample.getValue()));
  }

  private String series() {
    long now = Instant.now().getEpochSecond();
    return nodes.get().stream()
        .flatMap(node -> node.uuids().stream())
        .map(uuid ->
            "{\"metric\": {\"UUID\": \"%s\"}, \"values\": [%s]}"
                .formatted(uuid, values(now, usedMebibytes(uuid))))
        .collect(Collectors.joining(","));
  }

  private static String values(long now, long used) {
    return IntStream.range(0, SAMPLES)
        .mapToObj(i -> "[%d, \"%d\"]".formatted(now - (SAMPLES - 1L - i) * STEP_SECONDS, used))
        .collect(Collectors.joining(","));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
