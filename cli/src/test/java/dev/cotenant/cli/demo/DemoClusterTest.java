package dev.cotenant.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.cluster.RecordedCluster;
import dev.cotenant.engine.sizing.Recommendation;
import dev.cotenant.engine.sizing.RightSizing;
import dev.cotenant.engine.sizing.UsageHistory;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.simulator.replay.source.PrometheusRecording;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoClusterTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FREE = "GPU-5f3a0003-0000-4000-8000-000000000003";
  private static final Path BUSY =
      Path.of(System.getProperty("cotenant.root")).resolve("examples/clusters/busy.json");

  private static final RecordedCluster RECORDED =
      Engine.lazy(EngineSettings.DEFAULT).readCluster(BUSY);

  @TempDir private Path folder = Path.of("");

  private volatile Instant now = Instant.parse("2026-11-24T12:00:00Z");
  private final DemoAddress address = new DemoAddress();
  private final DemoCluster cluster = new DemoCluster(address, RECORDED, () -> now);

  @AfterEach
  void close() {
    cluster.close();
    address.close();
  }

  private static JsonNode send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return JSON.readTree(http.send(request.build(), BodyHandlers.ofString()).body());
    }
  }

  /** The value of a query about one GPU or pod; empty where there is none. */
  private String value(String query, String quantity) throws IOException, InterruptedException {
    String form =
        "time="
            + now.getEpochSecond()
            + "&query="
            + URLEncoder.encode(query, StandardCharsets.UTF_8);
    JsonNode answer =
        send(
            HttpRequest.newBuilder(URI.create(address.metricsUrl() + "/api/v1/query"))
                .POST(BodyPublishers.ofString(form)));
    for (JsonNode sample : answer.at("/data/result")) {
      if (sample.at("/metric/cotenant_quantity").asText().equals(quantity)) {
        return sample.at("/value/1").asText();
      }
    }
    return "";
  }

  private String gpu(String quantity) throws IOException, InterruptedException {
    return value(
        "avg_over_time(DCGM_FI_DEV_GPU_UTIL{UUID=\"" + FREE + "\"}[60s]) cotenant_quantity",
        quantity);
  }

  private void place(String name) throws IOException, InterruptedException {
    cluster.create(
        JSON.readTree(
            """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "team-e", "name": "%s",
               "annotations": {"cotenant.dev/predicted-utilization-mean": "40.0",
                 "cotenant.dev/predicted-memory": "1000Mi"}},
             "spec": {"containers": [{"name": "main", "image": "x"}]}}
            """
                .formatted(name)),
        JSON.readTree(
            """
            [{"op": "add", "path": "/metadata/annotations/cotenant.dev~1assigned-gpu", "value": "%s"},
             {"op": "add", "path": "/metadata/annotations/cotenant.dev~1assigned-node", "value": "gpu-2"}]
            """
                .formatted(FREE)));
    while (!cluster
        .pod("team-e", name)
        .orElseThrow()
        .at("/spec/nodeName")
        .asText()
        .equals("gpu-2")) {
      Thread.sleep(10);
    }
  }

  @Test
  void whoComesBeforeTheClusterIsThereWaits() throws Exception {
    try (DemoAddress early = new DemoAddress();
        HttpClient http = HttpClient.newHttpClient()) {
      URI query = URI.create(early.metricsUrl() + "/api/v1/query");
      CompletableFuture<HttpResponse<String>> answer =
          http.sendAsync(HttpRequest.newBuilder(query).build(), BodyHandlers.ofString());
      try (DemoCluster late = new DemoCluster(early, RECORDED, () -> now)) {
        assertThat(answer.get().statusCode()).isEqualTo(200);
        assertThat(late.pod("team-d", "simulation")).isPresent();
      }
    }
  }

  @Test
  void hasThePodsOfTheRecordingWithTheirGrants() throws Exception {
    String kubeconfig = Files.readString(address.kubeconfig(folder.resolve("new")));
    String server = kubeconfig.replaceAll("(?s).*server: \"([^\"]*)\".*", "$1");

    JsonNode pods = send(HttpRequest.newBuilder(URI.create(server + "/api/v1/pods")));
    JsonNode nodes = send(HttpRequest.newBuilder(URI.create(server + "/api/v1/nodes")));

    assertThat(pods.path("items").valueStream().map(pod -> pod.at("/metadata/name").asText()))
        .contains("bert-serving", "simulation")
        .hasSize(12);
    assertThat(nodes.path("items")).hasSize(7);
    assertThat(cluster.podsOn("GPU-5f3a0005-0000-4000-8000-000000000005"))
        .containsExactly("team-a/embedder-a", "team-a/embedder-b", "team-a/embedder-c");
  }

  @Test
  void measuresWhatPlacedPodsAdd() throws Exception {
    assertThat(gpu("used")).isEqualTo("455.0");
    assertThat(gpu("utilization")).isEqualTo("0.0");

    place("one");
    now = now.plusSeconds(30); // half of the window of the query

    assertThat(gpu("used")).isEqualTo("1255.0"); // and 0.8 of 1,000 MiB
    assertThat(Double.parseDouble(gpu("utilization"))).isCloseTo(15, within(0.1));
    assertThat(value("sum(rate(steps_total{pod=\"one\"}[60s]))", "")).isEqualTo("10.0");

    place("two");
    now = now.plusSeconds(1);
    assertThat(Double.parseDouble(value("sum(rate(steps_total{pod=\"one\"}[60s]))", "")))
        .isCloseTo(10 / 1.7, within(0.001));

    cluster.end("team-e", "two");
    assertThat(cluster.pod("team-e", "two")).isEmpty();
    assertThat(value("sum(rate(steps_total{pod=\"two\"}[60s]))", "")).isEmpty();
  }

  @Test
  void hasTwoWeeksForReplaysAndRightSizing() {
    PrometheusSettings settings = PrometheusSettings.of(URI.create(address.metricsUrl()));
    Duration step = Duration.ofMinutes(5);

    var week =
        new PrometheusRecording(
                settings,
                new PrometheusRecording.Span(now, Duration.ofDays(7), step),
                Engine.lazy(EngineSettings.DEFAULT).devices().names())
            .read(_ -> {});

    assertThat(week.jobs()).hasSizeGreaterThan(100);
    assertThat(week.jobs().stream().map(job -> job.origin().name()))
        .contains("bert-serving", "simulation");
    try (PrometheusHistory server = new PrometheusHistory(settings)) {
      UsageHistory.Span span = new UsageHistory.Span(now, Duration.ofDays(14), step);
      RightSizing.Result sizes =
          new RightSizing(Duration.ofDays(1), step, Coverage.of(0.95), _ -> 2.0)
              .of(
                  new UsageHistory(server, settings.metrics(), GpuDialect.memoryResources(), span)
                      .read(null),
                  Map.of(),
                  now);
      assertThat(sizes.workloads())
          .extracting(Recommendation::workload)
          .contains("StatefulSet/bert-serving", "StatefulSet/tagger-serving");
      assertThat(sizes.workloads()).allSatisfy(one -> assertThat(one.freed()).isPositive());
    }
  }

  @Test
  void measuresTheServicesOfTheWatchedFleet() throws Exception {
    JsonNode fleet = JSON.readTree(BUSY.resolveSibling("../plans/shop.json").normalize().toFile());

    assertThat(fleet.path("workloads")).hasSize(3);
    for (JsonNode workload : fleet.path("workloads")) {
      String query =
          "sum(rate(nv_inference_request_success{model=\""
              + workload.path("name").asText()
              + "\"}))";
      double stated = workload.path("request_rate_per_second").asDouble();
      assertThat(Double.parseDouble(value(query, "rate"))).isCloseTo(stated, within(0.2 * stated));
      assertThat(Double.parseDouble(value(query, "p99")))
          .isLessThan(workload.path("slo_latency_ms").asDouble());
    }
  }

  @Test
  void aNodeThatJoinsHasAnIdleGpu() throws Exception {
    cluster.joinLike("gpu-8", "gpu-2");

    String query = "UUID=\"GPU-5f3a0017-0000-4000-8000-000000000017\" cotenant_quantity";
    assertThat(value(query, "used")).isEqualTo("455.0");
    assertThat(value(query, "free")).isEqualTo("39871.0");
  }

  @Test
  void aPatchThatDoesNotApplyIsNamed() {
    assertThatThrownBy(() ->
            cluster.create(
                JSON.readTree("{\"metadata\": {\"namespace\": \"team-e\", \"name\": \"x\"}}"),
                JSON.readTree("[{\"op\": \"remove\", \"path\": \"/none\"}]")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the webhook's patch does not apply");
    assertThat(cluster.pod("team-e", "x")).isEmpty();
  }
}
