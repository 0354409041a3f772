package dev.cotenant.benchmarks.forecast;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SplittableRandom;

/**
 * Answers as a Prometheus with many GPUs does: 60 samples of each, 30 s apart, up to an instant.
 */
final class FakeServer implements AutoCloseable {
  static final int SAMPLES = 60;
  private static final int STEP_SECONDS = 30;
  private static final int CAPACITY_MIB = 40_000;

  private final HttpServer server;
  private final byte[] range;
  private final byte[] newest;

  FakeServer(int devices, Instant now) throws IOException {
    range = range(devices, now.getEpochSecond()).getBytes(StandardCharsets.US_ASCII);
    newest = newest(devices, now.getEpochSecond()).getBytes(StandardCharsets.US_ASCII);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange ->
            answer(
                exchange,
                exchange.getRequestURI().getPath().endsWith("query_range") ? range : newest));
    server.start();
  }

  private static void answer(HttpExchange exchange, byte[] body) throws IOException {
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** Every series is flat, stepping or noisy, by its number. */
  private static String range(int devices, long now) {
    SplittableRandom random = new SplittableRandom(1);
    StringBuilder text =
        new StringBuilder(
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
    for (int device = 0; device < devices; device++) {
      text.append(device == 0 ? "" : ",").append("{\"metric\":{\"UUID\":\"").append(uuid(device));
      text.append("\"},\"values\":[");
      int used = random.nextInt(CAPACITY_MIB);
      for (int i = 0; i < SAMPLES; i++) {
        boolean moves = device % 3 == 2 || (device % 3 == 1 && i % 10 == 0);
        used = moves ? random.nextInt(CAPACITY_MIB) : used;
        text.append(i == 0 ? "" : ",").append('[');
        text.append(now - (long) STEP_SECONDS * (SAMPLES - 1 - i));
        text.append(",\"").append(used).append("\"]");
      }
      text.append("]}");
    }
    return text.append("]}}").toString();
  }

  private static String newest(int devices, long now) {
    StringBuilder text =
        new StringBuilder(
            "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[");
    for (int device = 0; device < devices; device++) {
      text.append(device == 0 ? "" : ",");
      value(text, "sampled_at", device, now, now).append(',');
      value(text, "used", device, now, CAPACITY_MIB / 2).append(',');
      value(text, "free", device, now, CAPACITY_MIB / 2).append(',');
      value(text, "utilization", device, now, 50);
    }
    return text.append("]}}").toString();
  }

  private static StringBuilder value(
      StringBuilder text, String quantity, int device, long now, long value) {
    text.append("{\"metric\":{\"cotenant_quantity\":\"").append(quantity);
    text.append("\",\"UUID\":\"").append(uuid(device));
    text.append("\",\"Hostname\":\"node-").append(device / 8);
    text.append("\",\"modelName\":\"NVIDIA A100-SXM4-40GB\"},\"value\":[").append(now);
    return text.append(",\"").append(value).append("\"]}");
  }

  private static String uuid(int device) {
    return "GPU-00000000-0000-0000-0000-" + (100_000_000_000L + device);
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
