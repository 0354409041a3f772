package dev.cotenant.service.cluster;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
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
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** A metrics server, the pods of a GPU, and what is read, stored and passed to the guard. */
abstract class SpeedWatchBench {
  static final Instant START = Instant.parse("2026-11-21T10:00:00Z");
  static final MemorySize GIB = MemorySize.ofGiB(1);

  final List<MeasuredSpeed> stored = new ArrayList<>();
  final List<Sample> samples = new ArrayList<>();
  final List<String> asked = new ArrayList<>();
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final Map<PodIdentity, Holding> granted = new HashMap<>();
  final List<Tenant> tenants = new ArrayList<>();
  Instant now = START;
  double value = 100;

  final SpeedStore store =
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
  final SpeedMemory memory = new SpeedMemory(store, () -> now);
  final SpeedReports reports = new SpeedReports(() -> view().cluster(), store, () -> now, _ -> {});
  final SpeedWatch watch =
      new SpeedWatch(
          this::read,
          new SpeedQueries(),
          this::view,
          reports,
          new GuardSamples(this::view, memory, samples::addAll),
          meters,
          () -> now);

  OptionalDouble read(String expression, Instant at) {
    asked.add(expression);
    return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
  }

  GateView view() {
    GpuSnapshot gpu =
        new GpuSnapshot(
            "GPU-a",
            "node-1",
            DeviceCatalogue.builtIn().require("a100-40gb"),
            MemorySize.ofGiB(40),
            new Tenancy.Shared(tenants),
            new MemoryObservation.Unmeasured());
    return new GateView(
        1,
        now,
        List.of(),
        Map.copyOf(granted),
        new ClusterSnapshot(now, List.of(gpu)),
        GateView.Health.GOOD);
  }

  void pod(String name, Map<String, String> annotations) {
    pod(name, 16, annotations, null);
  }

  /**
   * A pod that starts now.
   *
   * @param aloneUntil until when its GPU is closed; null where it is not measured alone
   */
  void pod(String name, int batch, Map<String, String> annotations, @Nullable Instant aloneUntil) {
    pod(name, batch, annotations, aloneUntil, RunSettings.DEFAULT);
  }

  void pod(
      String name,
      int batch,
      Map<String, String> annotations,
      @Nullable Instant aloneUntil,
      RunSettings settings) {
    PodIdentity pod = new PodIdentity("team-a", name, null);
    Utilization busy = Utilization.ofPercent(40);
    tenants.add(
        new Tenant(
            pod.toString(),
            new UtilizationEstimate(busy, busy, busy, null),
            new MemoryEstimate(GIB, GIB, GIB, null),
            Slowdown.ofRatio(1.15),
            now,
            new GraphRun(new GraphWork(1e9, 1e8, 1e8, 50), batch, settings)));
    WatchedPod watched =
        new WatchedPod(
            "uid-" + name,
            "1",
            pod,
            new Colocatable(
                pod,
                new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                new WorkloadAnnotations(
                    "m", batch, settings, null, Duration.ofMillis(50), null, null, List.of()),
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
            aloneUntil));
  }

  void minutes(int count) {
    for (int i = 0; i < 6 * count; i++) {
      reports.observe();
      watch.observe();
      memory.refresh();
      now = now.plusSeconds(10);
    }
  }

  double read(String outcome) {
    return meters.counter("cotenant.speeds.read", "outcome", outcome).count();
  }

  /** Of the watch under test: a registry has one gauge of a name. */
  final SimpleMeterRegistry own = new SimpleMeterRegistry();

  SpeedWatch watching(SpeedWatch.ValueReader reader, SpeedReports to) {
    return new SpeedWatch(
        reader,
        new SpeedQueries(),
        this::view,
        to,
        new GuardSamples(this::view, memory, samples::addAll),
        own,
        () -> now);
  }
}
