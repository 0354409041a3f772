package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.QueryTemplate;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Speeds that the metrics server has become rows, and beside others samples of the guard. */
class SpeedWatchTest {
  private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");
  private static final MemorySize GIB = MemorySize.ofGiB(1);

  private final List<MeasuredSpeed> stored = new ArrayList<>();
  private final List<Sample> samples = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Map<PodIdentity, Holding> granted = new HashMap<>();
  private final List<Tenant> tenants = new ArrayList<>();
  private Instant now = START;
  private double value = 100;

  private final SpeedStore store =
      new SpeedStore() {
        @Override
        public void add(List<MeasuredSpeed> rows) {
          stored.addAll(rows);
        }

        @Override
        public Map<String, Long> newest() {
          return Map.of("team-a", (long) stored.size());
        }

        @Override
        public List<MeasuredSpeed> of(String namespace) {
          return List.copyOf(stored);
        }
      };
  private final SpeedMemory memory = new SpeedMemory(store, () -> now);
  private final SpeedReports reports = new SpeedReports(() -> view().cluster(), store, () -> now);
  private final SpeedWatch watch =
      new SpeedWatch(
          this::read,
          this::view,
          reports,
          new GuardSamples(this::view, memory, samples::addAll),
          meters,
          () -> now);

  private OptionalDouble read(String expression, Instant at) {
    asked.add(expression);
    return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
  }

  private GateView view() {
    GpuSnapshot gpu =
        new GpuSnapshot(
            "GPU-a",
            "node-1",
            DeviceCatalogue.builtIn().require("a100-40gb"),
            MemorySize.ofGiB(40),
            new Tenancy.Shared(tenants),
            new MemoryOutlook.Unmeasured());
    return new GateView(
        1,
        now,
        List.of(),
        Map.copyOf(granted),
        new ClusterSnapshot(now, List.of(gpu)),
        GateView.Health.GOOD);
  }

  private void pod(String name, Map<String, String> annotations) {
    PodIdentity pod = new PodIdentity("team-a", name, null);
    Utilization busy = Utilization.ofPercent(40);
    tenants.add(
        new Tenant(
            pod.toString(),
            new UtilizationEstimate(busy, busy, busy, null),
            new MemoryEstimate(GIB, GIB, GIB, null),
            Slowdown.ofRatio(1.15),
            now,
            new GraphRun(new GraphWork(1e9, 1e8, 1e8, 50), 16, RunSettings.DEFAULT)));
    WatchedPod watched =
        new WatchedPod(
            "uid-" + name,
            "1",
            pod,
            new Colocatable(
                pod,
                new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                new WorkloadAnnotations(
                    "m", 16, RunSettings.DEFAULT, null, Duration.ofMillis(50), null, List.of()),
                new NodeConstraints(null, List.of())),
            annotations,
            new WatchedPod.Scheduling(
                List.of(),
                "node-1",
                NodeRequirements.NONE,
                0,
                false,
                WatchedPod.Scheduling.DEFAULT_SCHEDULER),
            new WatchedPod.Life(now, now, WatchedPod.Phase.RUNNING, false, false, null),
            true,
            Footprint.NONE);
    granted.put(
        pod,
        new Holding(
            watched,
            GrantState.OBSERVED,
            new Decision.Admitted(
                List.of(new Grant("GPU-a", "node-1", null)), new Evidence.Recorded("")),
            null));
  }

  private void minutes(int count) {
    for (int i = 0; i < 6 * count; i++) {
      reports.observe();
      watch.observe();
      memory.refresh();
      now = now.plusSeconds(10);
    }
  }

  private double read(String outcome) {
    return meters.counter("cotenant.speeds.read", "outcome", outcome).count();
  }

  @Test
  void reportsTwiceAloneThenComparesWithNeighbours() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    minutes(20);
    assertThat(stored).hasSize(2).allMatch(MeasuredSpeed::isAlone);
    assertThat(asked)
        .hasSize(2)
        .allSatisfy(promQl ->
            assertThat(promQl).contains("steps_total{namespace=\"team-a\", pod=\"one\"}[300s]"));
    assertThat(samples).as("nobody is beside it").isEmpty();

    pod("two", Map.of());
    value = 50;
    minutes(12);

    assertThat(stored).hasSize(4);
    assertThat(stored.getLast().neighbours()).hasSize(1);
    assertThat(samples)
        .hasSizeBetween(10, 12)
        .allSatisfy(sample -> {
          assertThat(sample.uid()).isEqualTo("uid-one");
          assertThat(sample.signal()).isEqualTo(Signal.SLOWDOWN);
          assertThat(sample.value()).isEqualTo(2.0);
          assertThat(sample.limit()).isEqualTo(1.15);
          assertThat(sample.deadBand()).isBetween(0.05, 0.06);
        });
  }

  @Test
  void aSpeedThatWasNeverMeasuredAloneSaysNothing() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "steps"));
    pod("two", Map.of());
    minutes(12);

    assertThat(samples).isEmpty();
    assertThat(stored).hasSize(2).noneMatch(MeasuredSpeed::isAlone);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
  void missingNumbersAreNoSpeeds(double absurd) {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "steps"));
    value = absurd;
    minutes(8);

    assertThat(stored).isEmpty();
    assertThat(read("missing")).isPositive();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 1e13})
  void absurdNumbersAreRejected(double absurd) {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "steps"));
    value = absurd;
    minutes(8);

    assertThat(stored).isEmpty();
    assertThat(read("rejected")).isPositive();
  }

  @Test
  void latenciesGoToTheGuardAlone() {
    pod("one", Map.of(CotenantAnnotations.LATENCY_METRIC, "p99(request_seconds)"));
    pod("two", Map.of());
    value = 0.08;
    minutes(3);

    assertThat(stored).isEmpty();
    assertThat(samples)
        .isNotEmpty()
        .allSatisfy(sample -> {
          assertThat(sample.signal()).isEqualTo(Signal.LATENCY);
          assertThat(sample.value()).isEqualTo(0.08);
          assertThat(sample.limit()).isEqualTo(0.05);
        });
  }

  @Test
  void anInvalidAnnotationReadsNothing() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "sum(up)"));
    pod("two", Map.of());
    minutes(8);

    assertThat(asked).isEmpty();
    assertThat(stored).isEmpty();
  }

  @Test
  void aPolicysQueryIsForPodsThatNameNoMetric() {
    pod("one", Map.of());
    pod("two", Map.of(CotenantAnnotations.SPEED_METRIC, "own"));
    pod("three", Map.of(CotenantAnnotations.SPEED_METRIC, "sum(up)"));
    SpeedWatch ofPolicy =
        new SpeedWatch(
            this::read,
            this::view,
            reports,
            new GuardSamples(this::view, memory, samples::addAll),
            own,
            () -> now,
            namespace ->
                Optional.of(
                    new QueryTemplate("rate(x{namespace=\"$namespace\",pod=\"$pod\"}[$window])")
                        ::promQl));
    ofPolicy.observe();
    now = now.plus(SpeedWatch.GUARD_EVERY);
    ofPolicy.observe();

    assertThat(asked)
        .hasSize(2)
        .contains("rate(x{namespace=\"team-a\",pod=\"one\"}[120s])")
        .anyMatch(promQl -> promQl.contains("own{namespace=\"team-a\", pod=\"two\"}"));
  }

  @Test
  void aSlowServerStopsARound() {
    for (int i = 0; i < 30; i++) {
      pod("pod-" + i, Map.of(CotenantAnnotations.LATENCY_METRIC, "seconds"));
    }
    SpeedWatch slow =
        new SpeedWatch(
            (_, _) -> {
              now = now.plusSeconds(10);
              asked.add("slow");
              return OptionalDouble.empty();
            },
            this::view,
            reports,
            new GuardSamples(this::view, memory, samples::addAll),
            meters,
            () -> now);
    slow.observe();
    now = now.plus(SpeedWatch.GUARD_EVERY);
    slow.observe();

    assertThat(asked).hasSize(2);
  }

  /** Of the watch under test: a registry has one gauge of a name. */
  private final SimpleMeterRegistry own = new SimpleMeterRegistry();

  private SpeedWatch watching(SpeedWatch.ValueReader reader, SpeedReports to) {
    return new SpeedWatch(
        reader,
        this::view,
        to,
        new GuardSamples(this::view, memory, samples::addAll),
        own,
        () -> now);
  }

  @Test
  void aServerWithoutAnAnswerEndsTheRoundAndWhatWasReadCounts() {
    for (int i = 0; i < 5; i++) {
      pod("pod-" + i, Map.of(CotenantAnnotations.LATENCY_METRIC, "seconds"));
    }
    SpeedWatch down =
        watching(
            (promQl, _) -> {
              asked.add(promQl);
              if (asked.size() > 1) {
                throw new MetricsUnreachableException("refused");
              }
              return OptionalDouble.of(0.08);
            },
            reports);
    down.observe();
    now = now.plus(SpeedWatch.GUARD_EVERY);

    assertThatThrownBy(down::observe).isInstanceOf(MetricsUnreachableException.class);
    assertThat(asked).hasSize(2);
    assertThat(samples).hasSize(1);
    now = now.plus(SpeedWatch.GUARD_EVERY.multipliedBy(3));
    assertThatThrownBy(down::observe).isInstanceOf(MetricsUnreachableException.class);
    assertThat(own.get("cotenant.speeds.overdue").gauge().value()).isGreaterThan(3);
  }

  @Test
  void aStoreThatIsDownStopsNoSample() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    minutes(20);
    assertThat(stored).hasSize(2);
    pod("two", Map.of());
    SpeedStore down =
        new SpeedStore() {
          @Override
          public void add(List<MeasuredSpeed> rows) {
            throw new StoreException("down", new IllegalStateException());
          }

          @Override
          public Map<String, Long> newest() {
            return Map.of();
          }

          @Override
          public List<MeasuredSpeed> of(String namespace) {
            return List.of();
          }
        };
    SpeedReports failing = new SpeedReports(() -> view().cluster(), down, () -> now);
    SpeedWatch watching = watching((_, _) -> OptionalDouble.of(0), failing);
    failing.observe();
    watching.observe();
    now = now.plus(SpeedReports.WINDOW).plus(SpeedWatch.GUARD_EVERY);
    value = 50;
    SpeedWatch slow = watching(this::read, failing);
    slow.observe();
    now = now.plus(SpeedReports.WINDOW).plusSeconds(1);
    failing.observe();

    assertThatThrownBy(slow::observe).isInstanceOf(StoreException.class);
    assertThat(samples).hasSize(1);
    watching.observe();
    assertThat(samples.getLast().value()).as("makes no step").isEqualTo(1_000);
  }

  @Test
  void reportedSpeedsReachTheGuardInOneCall() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    minutes(20);
    MeasuredSpeed alone = stored.getFirst();
    pod("two", Map.of());
    List<List<Sample>> calls = new ArrayList<>();
    MeasuredSpeed beside =
        new MeasuredSpeed(
            "team-a", "one", alone.device(), alone.job(), List.of(alone.job()), 50, now);
    new GuardSamples(this::view, memory, calls::add).reported(List.of(beside, beside));

    assertThat(calls).hasSize(1);
    assertThat(calls.getFirst())
        .hasSize(2)
        .allSatisfy(sample -> assertThat(sample.value()).isEqualTo(2.0));
  }
}
