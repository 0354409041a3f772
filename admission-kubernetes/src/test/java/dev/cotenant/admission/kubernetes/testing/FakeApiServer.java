package dev.cotenant.admission.kubernetes.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.cotenant.admission.kubernetes.inmemory.InMemoryApiServer;
import dev.cotenant.admission.kubernetes.inmemory.ObjectStore;
import dev.cotenant.admission.kubernetes.inmemory.ObjectStore.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An API server on loopback, over HTTPS, that keeps objects in memory ({@link InMemoryApiServer});
 * what it is asked may be answered by a script instead.
 */
public final class FakeApiServer implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpsServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final ObjectStore store = new ObjectStore();
  private final InMemoryApiServer api = new InMemoryApiServer(store);
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
  private final AtomicInteger watches = new AtomicInteger();
  private final TestCertificate certificate;
  private volatile Script script = _ -> Optional.empty();
  private final AtomicInteger generation = new AtomicInteger();
  private volatile boolean closed;

  /** What was asked. */
  public record Request(
      String method,
      String path,
      Map<String, String> query,
      Map<String, List<String>> headers,
      String body) {
    private InMemoryApiServer.Request asked() {
      return new InMemoryApiServer.Request(method, path, query, body);
    }

    /** The first value of a header; empty where there is none. */
    public String header(String name) {
      return headers.entrySet().stream()
          .filter(header -> header.getKey().equalsIgnoreCase(name))
          .map(header -> header.getValue().getFirst())
          .findFirst()
          .orElse("");
    }
  }

  /** An answer that is not the store's. */
  public record Scripted(int code, String body, Map<String, String> headers) {
    public static Scripted of(int code, String body) {
      return new Scripted(code, body, Map.of());
    }

    /** Ends the connection without an answer. */
    public static final Scripted HANG_UP = new Scripted(-1, "", Map.of());

    /** The store's own answer to the second of two equal requests, as a network may repeat one. */
    public static final Scripted REPEATED = new Scripted(-2, "", Map.of());
  }

  /** Answers requests instead of the store; empty leaves them to it. */
  @FunctionalInterface
  public interface Script {
    Optional<Scripted> answer(Request request);
  }

  /** Starts one, with a certificate that is kept in a folder. */
  public FakeApiServer(Path folder) {
    certificate = TestCertificate.in(folder);
    try {
      server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.context()));
    server.createContext("/", this::handle);
    server.setExecutor(executor);
    server.start();
  }

  public String url() {
    return "https://127.0.0.1:" + server.getAddress().getPort();
  }

  /** A kubeconfig that leads here with this token. */
  public Path kubeconfig(Path folder, String token) throws IOException {
    return Files.writeString(
        folder.resolve("kubeconfig-" + token),
        """
        apiVersion: v1
        kind: Config
        current-context: test
        clusters: [{name: test, cluster: {server: "%s", certificate-authority: "%s"}}]
        users: [{name: test, user: {token: "%s"}}]
        contexts: [{name: test, context: {cluster: test, user: test}}]
        """
            .formatted(url(), certificate.pem(), token));
  }

  public void script(Script other) {
    script = other;
  }

  public List<Request> requests() {
    return List.copyOf(requests);
  }

  /** Watches that are open. */
  public int watches() {
    return watches.get();
  }

  /** Ends every watch, as a server that restarts does. */
  public void endWatches() {
    generation.incrementAndGet();
    store.wake();
  }

  /** Forgets all versions until now: watches from there are too old. */
  public void forget() {
    store.forget();
  }

  /** As if somebody had created it. */
  public ObjectNode create(String resource, String namespace, ObjectNode object) {
    Answer answer = store.create(resource, namespace, object);
    if (answer.code() != 201) {
      throw new IllegalStateException(answer.body().toString());
    }
    return (ObjectNode) answer.body();
  }

  /** As if somebody had changed it, whatever it was. */
  public ObjectNode replace(String resource, ObjectNode object) {
    JsonNode metadata = object.path("metadata");
    ObjectNode unversioned = object.deepCopy();
    unversioned.withObject("/metadata").remove("resourceVersion");
    Answer answer =
        store.replace(
            resource,
            metadata.path("namespace").asText(""),
            metadata.path("name").asText(),
            unversioned);
    if (answer.code() != 200) {
      throw new IllegalStateException(answer.body().toString());
    }
    return (ObjectNode) answer.body();
  }

  /** As if somebody had deleted it. */
  public void delete(String resource, String namespace, String name) {
    store.delete(resource, namespace, name, MAPPER.createObjectNode());
  }

  public List<ObjectNode> list(String resource) {
    return store.list(resource, "");
  }

  public Optional<ObjectNode> find(String resource, String namespace, String name) {
    return store.find(resource, namespace, name);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try {
      Request request = read(exchange);
      requests.add(request);
      Optional<Scripted> scripted = script.answer(request);
      boolean isRepeated = scripted.filter(Scripted.REPEATED::equals).isPresent();
      if (scripted.isPresent() && !isRepeated) {
        send(exchange, scripted.get());
      } else if (request.asked().isWatch()) {
        watch(exchange, request);
      } else {
        if (isRepeated) {
          answer(request);
        }
        Answer answer = answer(request);
        send(exchange, Scripted.of(answer.code(), answer.body().toString()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Request read(HttpExchange exchange) throws IOException {
    InMemoryApiServer.Request asked =
        InMemoryApiServer.Request.of(
            exchange.getRequestMethod(),
            exchange.getRequestURI(),
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    return new Request(
        asked.method(),
        asked.path(),
        asked.query(),
        Map.copyOf(exchange.getRequestHeaders()),
        asked.body());
  }

  private static void send(HttpExchange exchange, Scripted answer) throws IOException {
    if (answer.code < 0) {
      exchange.close(); // without an answer closes the connection
      return;
    }
    byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    answer.headers.forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(answer.code, body.length == 0 ? -1 : body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  private Answer answer(Request request) throws IOException {
    return api.answer(request.asked());
  }

  private void watch(HttpExchange exchange, Request request)
      throws IOException, InterruptedException {
    int mine = generation.get();
    exchange.sendResponseHeaders(200, 0);
    watches.incrementAndGet();
    try (OutputStream out = exchange.getResponseBody()) {
      api.watch(request.asked(), out, () -> !closed && mine == generation.get());
    } finally {
      watches.decrementAndGet();
    }
  }

  @Override
  public void close() {
    closed = true;
    store.wake();
    server.stop(0);
    executor.shutdownNow();
  }
}
