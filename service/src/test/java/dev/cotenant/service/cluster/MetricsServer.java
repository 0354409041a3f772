package dev.cotenant.service.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A Prometheus with one GPU whose samples end now, the days of pods on others, and services of
 * Triton, that can be told to hang or to fail.
 */
public final class MetricsServer {
  enum Mood {
    ANSWERS,
    FAILS,
    HANGS
  }

  /** A test and its profile are loaded apart: they share no object, but this path. */
  static final String MOOD = "/mood/";

  private final HttpServer server;
  private volatile Mood mood = Mood.ANSWERS;

  /** Answers on a free port of this machine. */
  public MetricsServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Thread::startVirtualThread);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Where it is. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String form =
        URLDecoder.decode(
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
            StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().getPath();
    if (path.startsWith(MOOD)) {
      mood = Mood.valueOf(path.substring(MOOD.length()));
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
      return;
    }
    switch (mood) {
      case HANGS -> {
        // says nothing until the client gives up
      }
      case FAILS -> {
        exchange.sendResponseHeaders(503, -1);
        exchange.close();
      }
      case ANSWERS -> {
        boolean range = exchange.getRequestURI().getPath().endsWith("query_range");
        byte[] body = (range ? range(form) : newest(form)).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
      }
    }
  }

  private static String range(String form) {
    if (form.contains("_over_time(")) {
      return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
          + PodSeries.matrix(form)
          + "]}}";
    }
    long now = Instant.now().getEpochSecond();
    StringBuilder values = new StringBuilder();
    for (int i = 59; i >= 0; i--) {
      values.append(values.isEmpty() ? "" : ",").append("[" + (now - 30L * i) + ",\"5000\"]");
    }
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
        + "{\"metric\":{\"UUID\":\"GPU-live\"},\"values\":["
        + values
        + "]}]}}";
  }

  private static String newest(String form) {
    boolean isService = form.contains("nv_inference_request_success");
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":["
        + (isService
            ? value("rate", "340") + "," + value("age", "5")
            : value("used", "5000") + "," + value("free", "10000"))
        + "]}}";
  }

  private static String value(String quantity, String value) {
    return "{\"metric\":{\"cotenant_quantity\":\""
        + quantity
        + "\",\"UUID\":\"GPU-live\",\"Hostname\":\"n1\",\"modelName\":\"Tesla T4\"},\"value\":[1,\""
        + value
        + "\"]}";
  }
}
