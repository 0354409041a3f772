package dev.cotenant.service.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.serving.KvCacheAdvice;
import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two engines of a pod used 20 and 40 % of a pool of 16,000 tokens, for two days. */
class KvCachesTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final KvCaches.Wanted WANTED =
      new KvCaches.Wanted(Duration.ofDays(2), Duration.ofHours(1), 0.9);

  /** Bytes of a token of {@link MeasuredServers#DESCRIPTION}: 32 layers, 8 KV heads of 128. */
  private static final long TOKEN = 32 * 2 * 8 * 128 * 2;

  @TempDir private Path folder = Path.of("");
  private final List<String> queries = new ArrayList<>();
  private final Map<PodIdentity, Holding> granted = new HashMap<>();
  private int status = 200;
  private boolean exports = true;

  @SuppressWarnings("NullAway.Init") // before each test
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    hold("llama-0", "vllm", MeasuredServers.REFERENCE, Map.of("max-model-len", "2048"));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String form =
        URLDecoder.decode(
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
            StandardCharsets.UTF_8);
    queries.add(form);
    boolean info = form.contains("cache_config_info");
    boolean shows = exports && !form.contains("num_requests");
    String series = shows ? series(info, 0, 0.2) + "," + series(info, 1, 0.4) : "";
    byte[] text =
        ("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
                + series
                + "]}}")
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  private static String series(boolean info, int engine, double share) {
    StringBuilder values = new StringBuilder();
    long end = NOW.getEpochSecond() / 30 * 30;
    for (long at = end - Duration.ofDays(2).toSeconds(); at <= end; at += 30) {
      values
          .append(values.isEmpty() ? "" : ",")
          .append("[" + at + ",\"" + (info ? 1 : share) + "\"]");
    }
    return "{\"metric\":{\"namespace\":\"team-a\",\"pod\":\"llama-0\",\"engine\":\""
        + engine
        + "\""
        + (info ? ",\"num_gpu_blocks\":\"1000\",\"block_size\":\"16\"" : "")
        + "},\"values\":["
        + values
        + "]}";
  }

  private void hold(
      String name, String engine, @Nullable String model, Map<String, String> settings) {
    PodIdentity pod = new PodIdentity("team-a", name, "llama-");
    EngineRun run =
        new EngineRun(
            "team-a", EngineRun.Kind.SERVER, engine, "0.19", model, false, settings, List.of());
    WatchedPod watched =
        new WatchedPod(
            "uid-" + name,
            "1",
            pod,
            new Colocatable(
                pod,
                new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                new WorkloadAnnotations(
                    null, 1, RunSettings.DEFAULT, null, null, null, null, List.of(), run, null),
                new NodeConstraints(null, List.of())),
            Map.of(),
            new WatchedPod.Scheduling(
                List.of(),
                "node",
                NodeRequirements.NONE,
                0,
                false,
                WatchedPod.Scheduling.DEFAULT_SCHEDULER),
            new WatchedPod.Life(NOW, NOW, WatchedPod.Phase.RUNNING, false, false, null),
            true,
            Footprint.NONE);
    granted.put(
        pod,
        new Holding(
            watched,
            GrantState.OBSERVED,
            new Decision.Admitted(
                List.of(new Grant("GPU-1", "node", null)), new Evidence.Recorded("")),
            null));
  }

  private KvCaches caches(boolean hasMetrics) throws IOException {
    ModelRegistry registry = ModelRegistry.of(Engine.standard());
    registry.put(
        registry.read(
            "llama", Files.writeString(folder.resolve("llama.json"), MeasuredServers.DESCRIPTION)));
    LanguageModelRuns models =
        new LanguageModelRuns(
            registry,
            new FolderDescriptions(
                FolderDescriptions.Folders.NONE,
                FolderDescriptions.Bounds.DEFAULT,
                InstantSource.system()));
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return new KvCaches(
        hasMetrics ? Optional.of(PrometheusSettings.of(url)) : Optional.empty(),
        () -> new GateView(1, NOW, List.of(), granted),
        models,
        InstantSource.fixed(NOW));
  }

  @Test
  void eachEngineGetsThePoolThatItsRequestsUsed() throws IOException {
    KvCaches.Advised advised = caches(true).advise("team-a", WANTED);
    assertThat(advised.skipped()).isEmpty();
    assertThat(advised.servers())
        .extracting(KvCacheAdvice::tokens)
        .containsExactlyInAnyOrder(3_200L, 6_400L);
    for (KvCacheAdvice one : advised.servers()) {
      assertThat(one.server()).isEqualTo("team-a/llama-0");
      assertThat(one.bytes()).isEqualTo(one.tokens() * TOKEN);
      assertThat(one.poolBytes()).isEqualTo(16_000 * TOKEN);
      assertThat(one.probability()).isBetween(0.9, 0.95);
      assertThat(one.held()).isEqualTo(1.0);
      assertThat(one.cutWindows()).isZero();
    }
    assertThat(queries).hasSize(4).allMatch(query -> query.contains("namespace=\"team-a\""));
  }

  /** The pool holds a sequence of the longest length, whatever was used. */
  @Test
  void aServersOwnArgumentsCount() throws IOException {
    hold(
        "llama-0",
        "vllm",
        MeasuredServers.REFERENCE,
        Map.of("max-model-len", "8192", "kv-cache-dtype", "fp8"));
    assertThat(caches(true).advise(null, WANTED).servers())
        .allSatisfy(one -> {
          assertThat(one.tokens()).isEqualTo(8_192);
          assertThat(one.bytes()).isEqualTo(8_192 * TOKEN / 2);
        });
  }

  /** Its longest length is then the model's, which its pool holds, as it started. */
  @Test
  void aServerThatStatesNoLengthKeepsThePoolWithWhichItStarted() throws IOException {
    hold("llama-0", "vllm", MeasuredServers.REFERENCE, Map.of());
    assertThat(caches(true).advise(null, WANTED).servers())
        .allSatisfy(one -> assertThat(one.tokens()).isEqualTo(16_000));
  }

  @Test
  void whatIsNotKnownOfAServerIsNamed() throws IOException {
    hold("silent-0", "vllm", MeasuredServers.REFERENCE, Map.of());
    hold("llama-0", "vllm", "other/model", Map.of());
    KvCaches.Advised advised = caches(true).advise("team-a", WANTED);
    assertThat(advised.servers()).isEmpty();
    assertThat(advised.skipped())
        .anyMatch(line -> line.startsWith("team-a/llama-0: "))
        .anyMatch(line -> line.startsWith("team-a/silent-0: the metrics server has no"));
    exports = false;
    assertThat(caches(true).advise("team-a", WANTED).skipped()).hasSize(2);
    assertThat(caches(false).advise("team-a", WANTED).skipped())
        .hasSize(2)
        .allMatch(line -> line.contains("set cotenant.prometheus.url"));
  }

  @Test
  void fewWindowsAreNotEnough() throws IOException {
    KvCaches.Wanted day =
        new KvCaches.Wanted(Duration.ofDays(2), Duration.ofHours(12), WANTED.level());
    assertThat(caches(true).advise("team-a", day).skipped())
        .allMatch(line -> line.contains("windows; it takes 10"));
  }

  @Test
  void nothingIsReadForANamespaceWithoutServers() throws IOException {
    assertThat(caches(true).advise("team-b\"} or {", WANTED).servers()).isEmpty();
    assertThat(queries).isEmpty();
  }

  @Test
  void aMetricsServerThatFailsIsNamed() throws IOException {
    status = 503;
    KvCaches caches = caches(true);
    assertThatThrownBy(() -> caches.advise("team-a", WANTED))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("503");
  }
}
