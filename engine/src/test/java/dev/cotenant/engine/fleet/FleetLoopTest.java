package dev.cotenant.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.RealPrometheus;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.fleet.FleetView.FleetChange;
import dev.cotenant.engine.fleet.FleetView.WatchedWorkload;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.engine.plan.FleetPlanner;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real server with half an hour of series that change: a Triton model whose rate doubles and
 * falls again, a vLLM model that stops being scraped, a rate that is NaN for a while, and one that
 * jumps beyond all reason for one scrape.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FleetLoopTest {
  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final int STEP_SECONDS = 10;
  private static final int STEPS = 180;
  private static final Duration PERIOD = Duration.ofSeconds(20);
  private static final String FLEET =
      """
      {"devices": [{"id": "v100", "max_count": 8}],
       "arrivals": "constant",
       "workloads": [
        {"name": "a", "profile": "vgg19", "slo_latency_ms": 40, "request_rate_per_second": 150,
         "metrics": {"source": "triton", "model": "vgg"}},
        {"name": "b", "profile": "resnet50", "slo_latency_ms": 40, "request_rate_per_second": 150,
         "metrics": {"source": "vllm", "model": "res"}},
        {"name": "c", "profile": "alexnet", "slo_latency_ms": 20, "request_rate_per_second": 100,
         "metrics": {"rate": "own_rate", "p99_ms": "own_p99"}},
        {"name": "d", "profile": "ssd", "slo_latency_ms": 60, "request_rate_per_second": 20,
         "metrics": {"source": "kserve", "model": "none"}}]}
      """;

  @TempDir private static Path folder;
  private @Nullable RealPrometheus server;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    Path samples = Files.writeString(folder.resolve("samples.om"), openMetrics());
    server = RealPrometheus.start(folder, samples);
  }

  @AfterAll
  void stop() throws InterruptedException {
    if (server != null) {
      server.close();
    }
  }

  private URI url() {
    return Objects.requireNonNull(server).url();
  }

  /** The rate of a is 150, from minute 10 on 330, from minute 20 on 150 requests a second. */
  private static String openMetrics() {
    StringBuilder requests = new StringBuilder();
    StringBuilder success = new StringBuilder();
    StringBuilder own = new StringBuilder();
    StringBuilder latency = new StringBuilder();
    double a = 0;
    double b = 0;
    for (int i = 0; i < STEPS; i++) {
      long at = START.getEpochSecond() + (long) STEP_SECONDS * i;
      a += STEP_SECONDS * (i >= 60 && i < 120 ? 330.0 : 150);
      b += STEP_SECONDS * 150.0;
      line(requests, "nv_inference_request_success_total{model=\"vgg\"}", a, at);
      if (i < 90) {
        line(success, "vllm:request_success_total{model_name=\"res\"}", b, at);
      }
      String rate = i >= 100 && i < 110 ? "NaN" : i == 130 || i == 131 ? "1e9" : "100";
      own.append("own_rate ").append(rate).append(' ').append(at).append('\n');
      line(latency, "own_p99", 12.5, at);
    }
    return "# TYPE nv_inference_request_success counter\n"
        + requests
        + "# TYPE vllm:request_success counter\n"
        + success
        + "# TYPE own_rate gauge\n"
        + own
        + "# TYPE own_p99 gauge\n"
        + latency
        + "# EOF\n";
  }

  private static void line(StringBuilder text, String series, double value, long at) {
    text.append(String.format(Locale.ROOT, "%s %.1f %d%n", series, value, at));
  }

  private static FleetDocument document(String text) {
    return FleetDocument.of(text.getBytes(StandardCharsets.UTF_8), "fleet");
  }

  /** Triton's own counters have no suffix, which the text format of the test's tool demands. */
  private static WatchedFleet fleet() {
    FleetPlanner planner = FleetPlanner.standard(Engine.lazy(EngineSettings.DEFAULT));
    WatchedFleet read =
        WatchedFleet.of(
            planner,
            document(FLEET),
            (model, batch) -> {
              throw new AssertionError(model);
            },
            "fleet");
    List<WorkloadQueries> queries =
        read.queries().stream()
            .map(each ->
                new WorkloadQueries(
                    each.workload(),
                    each.query().replace("request_success{", "request_success_total{")))
            .toList();
    return new WatchedFleet(read.fleet(), queries, read.notes());
  }

  private List<FleetView> watch(int fromMinute, int toMinute) {
    List<FleetView> views = new ArrayList<>();
    try (FleetLoop loop = FleetLoop.of(fleet(), PrometheusSettings.of(url()))) {
      Instant end = START.plus(Duration.ofMinutes(toMinute));
      Instant at = START.plus(Duration.ofMinutes(fromMinute));
      for (; !at.isAfter(end); at = at.plus(PERIOD)) {
        views.add(loop.step(at));
      }
    }
    return views;
  }

  private static WatchedWorkload workload(FleetView view, String name) {
    return view.workloads().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void followsRatesThatRiseAndFall() {
    List<FleetView> views = watch(2, 29);

    FleetView before = views.get(20);
    FleetView high = views.get(3 * 15);
    FleetView after = views.getLast();
    assertThat(workload(before, "a").observedRate()).isBetween(149.0, 151.0);
    assertThat(workload(high, "a").observedRate()).isBetween(325.0, 331.0);
    assertThat(workload(high, "a").plannedRate()).isGreaterThan(330);
    assertThat(workload(after, "a").plannedRate()).isLessThan(220);
    assertThat(high.gpus().size()).isGreaterThan(before.gpus().size());
    assertThat(views.stream().flatMap(view -> view.changes().stream()))
        .extracting(FleetChange::why)
        .anySatisfy(why -> assertThat(why).contains("its rate may exceed", "planned for"));
    assertThat(after.gpus()).as("not given back while d is absent").hasSameSizeAs(high.gpus());
    assertThat(views).allSatisfy(view -> assertThat(view.shortfalls()).isEmpty());
    assertThat(views)
        .filteredOn(view -> !view.changes().isEmpty())
        .allSatisfy(view -> assertThat(view.steps()).isNotEmpty());
  }

  @Test
  void holdsThePlanWhereASeriesIsStaleOrAbsentAndSaysSo() {
    List<FleetView> views = watch(13, 25);

    assertThat(workload(views.getFirst(), "b").held()).isNull();
    assertThat(workload(views.getFirst(), "d").held()).isEqualTo("its rate is absent");
    assertThat(workload(views.getLast(), "b").held()).contains("s old, 90 s at most are accepted");
    assertThat(workload(views.getLast(), "b").plannedRate())
        .isEqualTo(workload(views.getFirst(), "b").plannedRate());
  }

  @Test
  void holdsThePlanWhereARateIsNaNOrAbsurdAndSaysSo() {
    FleetView nan = watch(17, 17).getFirst();
    List<FleetView> absurd = watch(18, 23);

    assertThat(workload(nan, "c").held()).isEqualTo("its rate is NaN");
    assertThat(absurd)
        .anySatisfy(view -> assertThat(workload(view, "c").held()).contains("its rate jumped to"));
    assertThat(absurd)
        .allSatisfy(view -> assertThat(workload(view, "c").plannedRate()).isLessThan(150));
  }

  @Test
  void showsMeasuredBesidePredictedLatencies() {
    WatchedWorkload own = workload(watch(5, 5).getFirst(), "c");

    assertThat(own.measuredP99Millis()).isEqualTo(12.5);
    assertThat(own.predictedP99Millis()).isNotNull().isPositive();
    assertThat(own.drift()).isNotNull();
  }

  @Test
  void holdsAllWhereTheServerIsGone() {
    try (FleetLoop loop =
        FleetLoop.of(fleet(), PrometheusSettings.of(URI.create("http://127.0.0.1:1")))) {
      FleetView view = loop.step(START);

      assertThat(view.changes()).isEmpty();
      assertThat(view.workloads())
          .allSatisfy(each -> assertThat(each.held()).contains("cannot be connected to"));
    }
  }

  @Test
  void namesWhatTheServerSaysAboutAnExpressionThatIsNone() {
    WatchedFleet fleet = fleet();
    List<WorkloadQueries> queries = new ArrayList<>(fleet.queries());
    queries.set(2, new WorkloadQueries("c", "sum("));
    try (FleetLoop loop =
        FleetLoop.of(
            new WatchedFleet(fleet.fleet(), queries, List.of()), PrometheusSettings.of(url()))) {
      FleetView view = loop.step(START.plus(Duration.ofMinutes(5)));

      assertThat(workload(view, "c").held()).contains("HTTP 400", "parse error");
      assertThat(workload(view, "a").held()).isNull();
    }
  }

  @Test
  void goesOnFromWhatWasStored() {
    try (FleetLoop loop = FleetLoop.of(fleet(), PrometheusSettings.of(url()))) {
      loop.step(START.plus(Duration.ofMinutes(5)));
      loop.step(START.plus(Duration.ofMinutes(6)));

      assertThat(FleetStateDocument.of(loop.state()).state()).isEqualTo(loop.state());
    }
  }
}
