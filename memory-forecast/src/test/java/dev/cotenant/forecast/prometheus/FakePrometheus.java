package dev.cotenant.forecast.prometheus;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** A server that answers what a test tells it to, and remembers what it was asked. */
final class FakePrometheus implements AutoCloseable {
  /** Answers an exchange, whole or not. */
  interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  /** One request. */
  record Request(
      String method, String path, Map<String, String> form, Map<String, String> headers) {}

  static final String NO_VECTOR = success("vector", "");

  private final String scheme;
  private final HttpServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile Answer range = json(success("matrix", ""));
  private volatile Answer instant = json(NO_VECTOR);

  FakePrometheus() throws IOException {
    this("http", HttpServer.create(anyPort(), 0));
  }

  private FakePrometheus(String scheme, HttpServer server) {
    this.scheme = scheme;
    this.server = server;
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  /** One that speaks TLS only, to anybody. */
  static FakePrometheus secure(SSLContext context) throws IOException {
    return secure(context, context.getDefaultSSLParameters());
  }

  /** One that speaks TLS only, to clients whose certificate the context trusts. */
  static FakePrometheus mutual(SSLContext context) throws IOException {
    SSLParameters parameters = context.getDefaultSSLParameters();
    parameters.setNeedClientAuth(true);
    return secure(context, parameters);
  }

  private static FakePrometheus secure(SSLContext context, SSLParameters wanted)
      throws IOException {
    HttpsServer server = HttpsServer.create(anyPort(), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            parameters.setSSLParameters(wanted);
          }
        });
    return new FakePrometheus("https", server);
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  static String success(String type, String series) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\""
        + type
        + "\",\"result\":["
        + series
        + "]}}";
  }

  static Answer json(String text) {
    return status(200, text);
  }

  static Answer status(int status, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return exchange -> {
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    };
  }

  FakePrometheus series(String series) {
    return range(json(success("matrix", series)));
  }

  FakePrometheus newest(String series) {
    return instant(json(success("vector", series)));
  }

  FakePrometheus instant(Answer answer) {
    instant = answer;
    return this;
  }

  FakePrometheus range(Answer answer) {
    range = answer;
    return this;
  }

  PrometheusSettings settings() {
    PrometheusSettings defaults = PrometheusSettings.of(url());
    return new PrometheusSettings(
        defaults.url(),
        defaults.metrics(),
        defaults.range(),
        defaults.access(),
        new PrometheusSettings.Limits(
            Duration.ofSeconds(2), Duration.ofSeconds(5), 1 << 20, Duration.ofSeconds(30)));
  }

  URI url() {
    return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
  }

  List<Request> requests() {
    return requests;
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Map<String, String> form = new HashMap<>();
    for (String pair : body.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        form.put(
            pair.substring(0, equals),
            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    Map<String, String> headers = new HashMap<>();
    exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.getFirst()));
    String path = exchange.getRequestURI().getPath();
    requests.add(new Request(exchange.getRequestMethod(), path, form, headers));
    (path.endsWith("/query_range") ? range : instant).to(exchange);
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
