package dev.cotenant.deploy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * As much of an API server as the chart's lookups ask: secrets by name. It is the cluster that
 * {@code KUBECONFIG} of this process names.
 */
final class FakeApiServer {
  private static final FakeApiServer RUNNING = new FakeApiServer();

  private final Map<String, String> secrets = new ConcurrentHashMap<>();

  private FakeApiServer() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", this::answer);
      server.setExecutor(task -> {
        Thread thread = new Thread(task, "api-server");
        thread.setDaemon(true);
        thread.start();
      });
      server.start();
      Files.writeString(
          Path.of(System.getenv("KUBECONFIG")), configuration(server.getAddress().getPort()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes sure that there is one. */
  static void isRunning() {
    java.util.Objects.requireNonNull(RUNNING);
  }

  /** Runs something in a cluster that has this secret, JSON, and no other. */
  static <T> T withSecret(String path, String secret, java.util.function.Supplier<T> action) {
    RUNNING.secrets.put(path, secret);
    try {
      return action.get();
    } finally {
      RUNNING.secrets.clear();
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    if (path.equals("/api/v1")) {
      send(exchange, 200, RESOURCES);
    } else if (secrets.containsKey(path)) {
      send(exchange, 200, secrets.get(path));
    } else {
      send(exchange, 404, NOT_FOUND);
    }
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static String configuration(int port) {
    return """
    apiVersion: v1
    kind: Config
    current-context: test
    contexts: [{name: test, context: {cluster: test, user: test}}]
    clusters: [{name: test, cluster: {server: "http://127.0.0.1:%d"}}]
    users: [{name: test, user: {}}]
    """
        .formatted(port);
  }

  private static final String RESOURCES =
      """
      {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": [
        {"name": "secrets", "singularName": "secret", "namespaced": true, "kind": "Secret",
         "verbs": ["get", "list"]}]}
      """;

  private static final String NOT_FOUND =
      """
      {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
       "message": "not found"}
      """;
}
