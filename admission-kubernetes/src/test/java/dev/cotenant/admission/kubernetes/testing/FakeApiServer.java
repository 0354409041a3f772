package dev.cotenant.admission.kubernetes.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.cotenant.admission.kubernetes.testing.ObjectStore.Answer;
import dev.cotenant.admission.kubernetes.testing.ObjectStore.Change;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An API server on loopback, over HTTPS, that keeps objects in memory and is strict where the real
 * one is: resource versions, tests in patches, gates that are only removed, preconditions of
 * deletions, lists in pages, watches from a version on that end in 410 once it is forgotten.
 *
 * <p>It knows no schema, no admission and no authorization; what it is asked may be answered by a
 * script instead.
 */
public final class FakeApiServer implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpsServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final ObjectStore store = new ObjectStore();
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
      } else if (request.query.containsKey("watch")) {
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
    Map<String, String> query = new HashMap<>();
    String raw = exchange.getRequestURI().getRawQuery();
    for (String pair : raw == null ? new String[0] : raw.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      query.put(parts[0], parts.length < 2 ? "" : decoded(parts[1]));
    }
    return new Request(
        exchange.getRequestMethod(),
        exchange.getRequestURI().getPath(),
        query,
        Map.copyOf(exchange.getRequestHeaders()),
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
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

  /** What a path is about. */
  private record Target(String resource, String namespace, String name) {
    /** {@code /api/v1/…} or {@code /apis/GROUP/VERSION/…}. */
    static Target of(String path) {
      List<String> parts = Arrays.asList(path.substring(1).split("/"));
      List<String> rest = parts.subList(parts.getFirst().equals("api") ? 2 : 3, parts.size());
      boolean namespaced = rest.size() > 2 && rest.getFirst().equals("namespaces");
      List<String> local = namespaced ? rest.subList(2, rest.size()) : rest;
      return new Target(
          local.getFirst(), namespaced ? rest.get(1) : "", local.size() > 1 ? local.get(1) : "");
    }
  }

  private Answer answer(Request request) throws IOException {
    Target target = Target.of(request.path);
    JsonNode body = MAPPER.readTree(request.body.isEmpty() ? "{}" : request.body);
    return switch (request.method) {
      case "GET" -> target.name.isEmpty() ? list(target, request) : get(target);
      case "POST" -> store.create(target.resource, target.namespace, (ObjectNode) body);
      case "PUT" ->
          store.replace(target.resource, target.namespace, target.name, (ObjectNode) body);
      case "PATCH" -> store.patch(target.resource, target.namespace, target.name, body);
      case "DELETE" -> store.delete(target.resource, target.namespace, target.name, body);
      default -> ObjectStore.status(405, "MethodNotAllowed", request.method);
    };
  }

  private Answer get(Target target) {
    return store
        .find(target.resource, target.namespace, target.name)
        .map(object -> new Answer(200, object))
        .orElseGet(() -> ObjectStore.status(404, "NotFound", target + " not found"));
  }

  private Answer list(Target target, Request request) {
    List<ObjectNode> all =
        store.list(target.resource, target.namespace).stream()
            .filter(object -> isSelected(object, request))
            .toList();
    int from = Integer.parseInt(request.query.getOrDefault("continue", "0"));
    int limit = Integer.parseInt(request.query.getOrDefault("limit", "1000000"));
    int to = Math.min(all.size(), from + limit);
    ObjectNode list = MAPPER.createObjectNode().put("kind", "List").put("apiVersion", "v1");
    ObjectNode metadata = list.putObject("metadata");
    metadata.put("resourceVersion", String.valueOf(store.version()));
    if (to < all.size()) {
      metadata.put("continue", String.valueOf(to));
    }
    ArrayNode items = list.putArray("items");
    all.subList(Math.min(from, to), to).forEach(items::add);
    return new Answer(200, list);
  }

  private static boolean isSelected(JsonNode object, Request request) {
    String field = request.query.getOrDefault("fieldSelector", "");
    String name = object.path("metadata").path("name").asText();
    if (!field.isEmpty() && !field.equals("metadata.name=" + name)) {
      return false;
    }
    String[] selector = request.query.getOrDefault("labelSelector", "").split("=", 2);
    return selector.length < 2
        || selector[1].equals(object.path("metadata").path("labels").path(selector[0]).asText());
  }

  private void watch(HttpExchange exchange, Request request)
      throws IOException, InterruptedException {
    long since = Long.parseLong(request.query.get("resourceVersion"));
    String resource = Target.of(request.path).resource;
    int mine = generation.get();
    exchange.sendResponseHeaders(200, 0);
    watches.incrementAndGet();
    try (OutputStream out = exchange.getResponseBody()) {
      out.flush(); // the headers, so that the client knows that it watches
      while (!closed && mine == generation.get()) {
        if (store.isForgotten(since)) {
          event(
              out, "ERROR", ObjectStore.status(410, "Expired", "too old resource version").body());
          return;
        }
        for (Change change : store.changesAfter(since, resource)) {
          since = change.version();
          if (isSelected(change.object(), request)) {
            event(out, change.type(), change.object());
          }
        }
        long now = store.version();
        if (request.query.containsKey("allowWatchBookmarks") && now > since + 100) {
          bookmark(out, now);
          since = now;
        }
      }
    } finally {
      watches.decrementAndGet();
    }
  }

  private static void bookmark(OutputStream out, long version) throws IOException {
    ObjectNode object = MAPPER.createObjectNode();
    object.putObject("metadata").put("resourceVersion", String.valueOf(version));
    event(out, "BOOKMARK", object);
  }

  private static void event(OutputStream out, String type, JsonNode object) throws IOException {
    ObjectNode event = MAPPER.createObjectNode().put("type", type);
    event.set("object", object);
    out.write((event + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Override
  public void close() {
    closed = true;
    store.wake();
    server.stop(0);
    executor.shutdownNow();
  }
}
