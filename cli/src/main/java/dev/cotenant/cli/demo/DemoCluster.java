package dev.cotenant.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.cotenant.admission.kubernetes.inmemory.InMemoryApiServer;
import dev.cotenant.admission.kubernetes.inmemory.JsonPatches;
import dev.cotenant.admission.kubernetes.inmemory.ObjectStore;
import dev.cotenant.admission.kubernetes.inmemory.ObjectStore.Answer;
import dev.cotenant.admission.kubernetes.inmemory.ObjectStore.Change;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.RecordedCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A simulated cluster on loopback: an API server that keeps objects in memory, kubelets that run
 * what has a node, and a metrics server about its GPUs. The service itself is real.
 */
public final class DemoCluster implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PODS = "pods";
  private static final int CONFLICT = 409;

  private final ObjectStore store = new ObjectStore();
  private final InMemoryApiServer api = new InMemoryApiServer(store);
  private final InstantSource clock;
  private final DemoMetrics metrics;
  private final HttpServer server;
  private volatile boolean closed;

  /** Answers at an address, with the GPUs of a recording and the pods on them. */
  public DemoCluster(DemoAddress address, RecordedCluster recorded, InstantSource clock) {
    this.clock = clock;
    metrics = new DemoMetrics(recorded, clock.instant(), () -> store.list(PODS, ""));
    server = address.server();
    server.setExecutor(Thread::startVirtualThread);
    server.createContext("/", this::handle);
    server.createContext(DemoAddress.METRICS + "/", exchange -> answer(exchange, metrics));
    addNodes(recorded);
    Recording.pods(recorded).forEach(pod -> store.create(PODS, namespace(pod), pod));
    server.start();
    Thread.startVirtualThread(this::runPods);
  }

  private void addNodes(RecordedCluster recorded) {
    Set<String> nodes = new LinkedHashSet<>();
    recorded.gpus().forEach(gpu -> nodes.add(gpu.node()));
    for (String node : nodes) {
      List<GpuReading> gpus = recorded.gpus().stream().filter(g -> g.node().equals(node)).toList();
      store.create("nodes", "", Recording.node(node, gpus));
    }
    for (String namespace : List.of("team-a", "team-b", "team-c", "team-d", "team-e")) {
      store.create("namespaces", "", Recording.namespace(namespace));
    }
  }

  /** Adds a node with one idle GPU of another node's product. */
  public void joinLike(String node, String other) {
    GpuReading gpu = metrics.add(node, other);
    store.create("nodes", "", Recording.node(node, List.of(gpu)));
  }

  /** Creates a pod as a webhook's patch has it. */
  public void create(JsonNode pod, JsonNode patch) throws IOException {
    try {
      ObjectNode patched = JsonPatches.apply(patch, (ObjectNode) pod);
      patched.putObject("status").put("phase", "Pending");
      store.create(PODS, namespace(patched), patched);
    } catch (JsonPatches.DoesNotApply e) {
      throw new IOException("the webhook's patch does not apply: " + e.getMessage(), e);
    }
  }

  /** Ends a pod and removes it, as when its work is done. */
  public void end(String namespace, String name) {
    store.delete(PODS, namespace, name, JSON.createObjectNode());
  }

  /** The current state of a pod. */
  public Optional<ObjectNode> pod(String namespace, String name) {
    return store.find(PODS, namespace, name);
  }

  /** The pods that run on a GPU, by namespace and name. */
  public List<String> podsOn(String gpu) {
    return store.list(PODS, "").stream()
        .filter(pod -> annotation(pod, CotenantAnnotations.ASSIGNED_GPU).contains(gpu))
        .map(pod -> namespace(pod) + "/" + pod.at("/metadata/name").asText())
        .toList();
  }

  /** The message of the first Event about a pod with this reason. */
  public Optional<String> event(String namespace, String pod, String reason) {
    return store.list("events", namespace).stream()
        .filter(event -> event.at("/involvedObject/name").asText().equals(pod))
        .filter(event -> event.path("reason").asText().equals(reason))
        .map(event -> event.path("message").asText())
        .findFirst();
  }

  static String namespace(JsonNode object) {
    return object.at("/metadata/namespace").asText();
  }

  /** What all kubelets do: a pod that is placed and not held runs at once. */
  private void runPods() {
    long since = 0;
    try {
      while (!closed) {
        for (Change change : store.changesAfter(since, PODS)) {
          since = change.version();
          JsonNode pod = change.object();
          String node = annotation(pod, CotenantAnnotations.ASSIGNED_NODE);
          boolean waits =
              pod.at("/status/phase").asText().equals("Pending")
                  && pod.at("/spec/schedulingGates").isEmpty()
                  && !node.isEmpty();
          if (waits && !change.type().equals("DELETED")) {
            run(pod, node);
          }
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(JsonNode granted, String node) {
    String name = granted.at("/metadata/name").asText();
    boolean conflicts = true;
    while (conflicts) {
      conflicts =
          pod(namespace(granted), name)
              .map(pod -> {
                Recording.run(pod, node, clock.instant());
                return store.replace(PODS, namespace(pod), name, pod).code() == CONFLICT;
              })
              .orElse(false);
    }
  }

  static String annotation(JsonNode pod, String name) {
    return pod.path("metadata").path("annotations").path(name).asText();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      InMemoryApiServer.Request request =
          InMemoryApiServer.Request.of(exchange.getRequestMethod(), exchange.getRequestURI(), body);
      if (request.isWatch()) {
        exchange.sendResponseHeaders(200, 0);
        api.watch(request, exchange.getResponseBody(), () -> !closed);
      } else {
        Answer answer = api.answer(request);
        send(exchange, answer.code(), answer.body());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(HttpExchange exchange, DemoMetrics metrics) throws IOException {
    try (exchange) {
      String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      Map<String, String> asked =
          InMemoryApiServer.Request.of("POST", URI.create("/?" + form), "").query();
      boolean isRange = exchange.getRequestURI().getPath().endsWith("query_range");
      Instant now = clock.instant();
      send(exchange, 200, isRange ? metrics.range(asked, now) : metrics.instant(asked, now));
    }
  }

  private static void send(HttpExchange exchange, int code, JsonNode body) throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  @Override
  public void close() {
    closed = true;
    store.wake();
    server.stop(0);
  }
}
