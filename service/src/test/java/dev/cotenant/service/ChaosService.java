package dev.cotenant.service;

import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VMOutOfMemoryException;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import dev.cotenant.domain.testing.FreePort;
import dev.cotenant.service.cluster.MetricsServer;
import dev.cotenant.service.store.DatabaseSettings;
import dev.cotenant.service.webhook.PemFiles;
import dev.cotenant.service.webhook.WebhookClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The packaged service with what it stands on: a database, a metrics server, names, files of a
 * certificate, limits of its process. It is started again when it ends, as a kubelet does.
 */
final class ChaosService implements AutoCloseable {
  /** How long a caller waits. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /** What the service may answer when something else is broken; never an internal error. */
  private static final Set<Integer> EXPECTED = Set.of(200, 201, 429, 503, 507);

  private static final int MAX_MODELS = 400;
  private static final byte[] REVIEW = WebhookClient.review("resnet18", 1);
  private static final String MODEL =
      "{\"model\":\"resnet18\",\"device\":\"a100-40gb\",\"batch_size\":8}";

  final FaultyProxy metrics;
  final Optional<FaultyProxy> database;
  final PemFiles certificate;

  private final Path folder;
  private final Path hosts;
  private final Optional<DatabaseSettings> postgres;
  private final int port = FreePort.find();
  private final int https = FreePort.find();
  private final int debugging = FreePort.find();
  private final Set<String> stored = new HashSet<>();
  private final List<String> unanswered = new ArrayList<>();
  private HttpClient client = newClient();
  private ServiceProcess process;
  private Debugger debugger;
  private int calls;
  private int starts;
  private int number;

  /**
   * @param folder of its files
   * @param postgres its database; empty for the embedded one
   */
  ChaosService(Path folder, Optional<DatabaseSettings> postgres)
      throws IOException, InterruptedException, IllegalConnectorArgumentsException {
    this.folder = Files.createDirectories(folder);
    this.postgres = postgres;
    hosts = folder.resolve("hosts");
    certificate = new PemFiles(folder.resolve("tls"));
    metrics = new FaultyProxy(URI.create(new MetricsServer().url()));
    database =
        postgres.isPresent()
            ? Optional.of(new FaultyProxy(server(postgres.get())))
            : Optional.empty();
    renew();
    names(true);
    process = start();
    debugger = Debugger.attach(debugging);
  }

  private static URI server(DatabaseSettings settings) {
    return URI.create(settings.url().orElseThrow().substring("jdbc:".length()));
  }

  private static HttpClient newClient() {
    return HttpClient.newBuilder()
        .sslContext(WebhookClient.trustingAll())
        .connectTimeout(PATIENCE)
        .build();
  }

  private ServiceProcess start() throws IOException, InterruptedException {
    List<String> options =
        new ArrayList<>(
            List.of(
                Debugger.option(debugging),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Djdk.net.hosts.file=" + hosts,
                "-Dsun.net.inetaddr.ttl=0",
                "-Dquarkus.http.port=" + port,
                "-Dcotenant.webhook.port=" + https,
                "-Dcotenant.webhook.certificate-interval=200ms",
                "-Dquarkus.tls.webhook.key-store.pem.0.cert=" + certificate.certificate(),
                "-Dquarkus.tls.webhook.key-store.pem.0.key=" + certificate.key(),
                "-Dcotenant.policy.mode=enforce",
                "-Dcotenant.data.directory=" + folder.resolve("data"),
                "-Dcotenant.prometheus.url=http://metrics.test:" + metrics.port(),
                "-Dcotenant.prometheus.refresh-interval=500ms",
                "-Dcotenant.prometheus.request-timeout=2s",
                "-Dcotenant.metrics.max-age=5s"));
    postgres.ifPresent(settings -> {
      options.add(
          "-Dcotenant.database.url=jdbc:postgresql://database.test:"
              + database.orElseThrow().port()
              + server(settings).getPath());
      options.add("-Dcotenant.database.user=" + settings.user().orElseThrow());
      options.add("-Dcotenant.database.password=any");
    });
    ServiceProcess next = ServiceProcess.start(options);
    next.awaitReady(port);
    starts++;
    return next;
  }

  boolean isEmbedded() {
    return postgres.isEmpty();
  }

  /** Writes to its disk take longer. */
  void slowDisk() {
    debugger.slowDown();
  }

  /** Takes memory of its heap, which may end it. */
  void take(long bytes) {
    try {
      debugger.take(bytes);
    } catch (VMDisconnectedException | VMOutOfMemoryException e) {
      // there is as little left as there can be
    }
  }

  /** Its disk is as fast as it was, and its memory is its own. */
  void letBe() {
    try {
      debugger.letBe();
    } catch (VMDisconnectedException e) {
      // it has ended
    }
  }

  /** Whether names are known; the machine's own always is. */
  void names(boolean known) throws IOException {
    String others = known ? "127.0.0.1 metrics.test database.test\n" : "";
    String own = InetAddress.getLocalHost().getHostName();
    Files.writeString(hosts, "127.0.0.1 localhost " + own + "\n" + others);
  }

  /** Puts a new certificate in place, as one that expired or is about to is replaced. */
  void renew() {
    put(certificate.make("renewed-" + number++, "EC"));
  }

  void put(PemFiles.Pair pair) {
    certificate.write(pair.certificate(), pair.key());
  }

  /** Sets a limit of the process, as {@code prlimit} names it. */
  void limit(String what, String soft) throws IOException, InterruptedException {
    if (hasEnded()) {
      return;
    }
    ProcessLimits.set(process.pid(), what, soft);
  }

  /** How many descriptors it has open. */
  long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
      return open.count();
    }
  }

  int calls() {
    return calls;
  }

  /** How often it was started again. */
  int restarts() {
    return starts - 1;
  }

  /** Whether it ended by itself. */
  boolean hasEnded() {
    return !process.isAlive();
  }

  int exitCode() {
    return process.exitCode();
  }

  void restart() throws IOException, InterruptedException, IllegalConnectorArgumentsException {
    process.close();
    process = start();
    debugger = Debugger.attach(debugging);
  }

  /** The next callers have connections of their own. */
  void callersAreNew() {
    client = newClient();
  }

  /**
   * One call of each kind; the statuses by what was called, 0 where nobody answered. What was
   * stored by an answered call is remembered.
   */
  Map<String, Integer> round() throws IOException, InterruptedException {
    Map<String, Integer> statuses = new TreeMap<>();
    unanswered.clear();
    statuses.put(
        "review", call(secure("/webhooks/mutate").POST(BodyPublishers.ofByteArray(REVIEW))));
    statuses.put("prediction", call(json("/v1/predictions", MODEL)));
    statuses.put("list", call(plain("/v1/models").GET()));
    statuses.put("row", call(json("/v1/profiles", row())));
    String name = "chaos-" + number++ % MAX_MODELS;
    int model = call(upload(name));
    statuses.put("model", model);
    if (model == 200 || model == 201) {
      stored.add(name);
    }
    for (Map.Entry<String, Integer> answered : statuses.entrySet()) {
      int status = answered.getValue();
      if (status != 0 && !EXPECTED.contains(status)) {
        fail("%s answers %d: %s; %s", answered.getKey(), status, unanswered, output());
      }
    }
    return statuses;
  }

  /** Models that callers were told are stored, and which are not listed. */
  Set<String> lost() throws IOException, InterruptedException {
    Set<String> missing = new HashSet<>(stored);
    String path = "/v1/models?limit=1000";
    HttpResponse<String> all =
        client.send(plain(path).build(), HttpResponse.BodyHandlers.ofString());
    new ObjectMapper()
        .readTree(all.body())
        .path("models")
        .forEach(model -> missing.remove(model.path("name").asText()));
    return missing;
  }

  private String row() {
    return "{\"rows\":[{\"device\":\"a100-40gb\",\"batch_size\":%d,\"model\":\"resnet18\",\"utilization_percent\":40,\"source\":\"chaos\"}]}"
        .formatted(1 + number % 64);
  }

  private HttpRequest.Builder upload(String name) {
    return plain("/v1/models/" + name)
        .header("Content-Type", "application/octet-stream")
        .PUT(BodyPublishers.ofByteArray(model()));
  }

  private static byte[] model() {
    try {
      return Files.readAllBytes(RunningService.root().resolve("examples/models/resnet18.onnx"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private HttpRequest.Builder plain(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
  }

  private HttpRequest.Builder secure(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + https + path))
        .timeout(PATIENCE);
  }

  private HttpRequest.Builder json(String path, String body) {
    return plain(path)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body));
  }

  private int call(HttpRequest.Builder request) throws InterruptedException {
    calls++;
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() >= 300) {
        unanswered.add(response.body());
      }
      return response.statusCode();
    } catch (IOException e) {
      unanswered.add(e.toString());
      return 0;
    }
  }

  /** What it printed. */
  String output() throws IOException {
    return process.output();
  }

  @Override
  public void close() throws IOException {
    process.close();
    metrics.close();
    if (database.isPresent()) {
      database.get().close();
    }
  }
}
