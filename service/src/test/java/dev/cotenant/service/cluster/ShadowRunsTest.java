package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.evidence.EvidenceCounts.Known;
import dev.cotenant.service.evidence.MemoryOfDrift;
import dev.cotenant.service.evidence.MemoryOfEvidence;
import dev.cotenant.service.evidence.Observed;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods that were decided about without effect, on whole GPUs. */
class ShadowRunsTest {
  private static final Instant START = Instant.parse("2026-11-24T12:00:00Z");
  private static final Engine ENGINE = Engine.standard();
  private static final DeviceId A100 = ENGINE.devices().require("a100-40gb").id();

  private Instant now = START;
  private List<String> pods = List.of();
  private final FakeModelStore store = new FakeModelStore();
  private final MemoryOfDrift drift = new MemoryOfDrift();
  private final EvidenceCounts evidence =
      new EvidenceCounts(
          new MemoryOfEvidence(),
          row ->
              Predictor.builtIn()
                  .predict(
                      row.features(),
                      row.settings(),
                      ENGINE.devices().require(row.device().value())),
          () -> START);

  private ShadowRuns runs() {
    return runs((gpus, at, until) -> gpus);
  }

  private ShadowRuns runs(GpuClaims claims) {
    ModelRegistry models = ModelRegistry.of(ENGINE);
    models.put(
        models.read("my-model", RunningService.root().resolve("examples/models/resnet18.onnx")));
    return new ShadowRuns(
        claims,
        new Readings(),
        new ClusterFeedback.Sources(
            ENGINE,
            models,
            store.profiles(),
            evidence,
            new DriftWatch(drift, new SimpleMeterRegistry())),
        evidence,
        Map.of("a100-40gb", 3.0));
  }

  private static DecisionRecord decision(
      PodIdentity pod, Policy.Mode mode, MemorySize used, int tenants) {
    var features =
        ENGINE.inspect(
            RunningService.root().resolve("examples/models/resnet18.onnx"), 16, Map.of());
    Prediction prediction =
        ENGINE.predict(features, RunSettings.DEFAULT, ENGINE.devices().require("a100-40gb"));
    return new DecisionRecord(
        START,
        new Colocatable(
            pod,
            new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
            new WorkloadAnnotations(
                "my-model", 16, RunSettings.DEFAULT, null, null, null, null, List.of()),
            new NodeConstraints(null, List.of())),
        new PlacementRequest.Share(pod.toString(), Map.of(A100, prediction), SharingLimits.DEFAULT),
        new Decision.Admitted(
            List.of(new Grant("GPU-9", "node", prediction)),
            new Evidence.WithinLimits(
                SummedUtilization.ofPercent(80),
                used,
                MemorySize.ofGiB(4),
                MemorySize.ofGiB(38),
                "peak-bound",
                Slowdown.ofRatio(1.08),
                tenants,
                SharingLimits.DEFAULT,
                null,
                null,
                null)),
        Intent.REAL,
        mode);
  }

  private static DecisionRecord shared(PodIdentity pod, Policy.Mode mode) {
    return decision(pod, mode, MemorySize.ofGiB(9), 1);
  }

  private long count(Observed kind) {
    return evidence.namespaces(Set.of()).stream().mapToLong(one -> one.count(kind)).sum();
  }

  private void look(ShadowRuns runs, int minutes) {
    for (int i = 0; i < minutes; i++) {
      now = now.plus(Duration.ofMinutes(1));
      runs.observe();
    }
  }

  @Test
  void areComparedWithTheirPredictionOnce() {
    ShadowRuns runs = runs();
    PodIdentity pod = new PodIdentity("team-a", "train", null);
    runs.decided(shared(pod, Policy.Mode.SHADOW));
    pods = List.of("team-a/train");
    runs.observe();
    look(runs, 64);
    assertThat(count(Observed.UTILIZATION_CHECKED)).isZero();
    look(runs, 10);
    assertThat(count(Observed.UTILIZATION_CHECKED)).isEqualTo(1);
    assertThat(count(Observed.MEMORY_CHECKED)).isEqualTo(1);
    assertThat(store.profiles().all()).hasSize(1);
    assertThat(store.profiles().all().getFirst().namespace()).isEqualTo("team-a");
    assertThat(drift.newest()).hasSize(1);
  }

  @Test
  void countTheTimeThatSharingWouldSave() {
    ShadowRuns runs = runs();
    runs.decided(shared(new PodIdentity("team-a", "train", null), Policy.Mode.WARN));
    pods = List.of("team-a/train");
    runs.observe();
    look(runs, 120);
    assertThat(count(Observed.WOULD_SAVE_SECONDS)).isEqualTo(7_200);
    assertThat(count(Observed.WOULD_SAVE_MICROS)).isEqualTo(6_000_000);

    now = now.plus(Duration.ofHours(1)); // nobody looked
    runs.observe();
    assertThat(count(Observed.WOULD_SAVE_SECONDS)).isEqualTo(7_200);
  }

  @Test
  void countOnceOverAllReplicas() {
    ShadowRuns counting = runs();
    ShadowRuns other = runs((gpus, at, until) -> Set.of());
    for (ShadowRuns replica : List.of(counting, other)) {
      replica.decided(shared(new PodIdentity("team-a", null, "tune-"), Policy.Mode.SHADOW));
    }
    pods = List.of("team-a/tune-x7k2p");
    for (int minute = 0; minute <= 75; minute++) {
      now = START.plus(Duration.ofMinutes(minute));
      counting.observe();
      other.observe();
    }
    assertThat(count(Observed.UTILIZATION_CHECKED)).isEqualTo(1);
    assertThat(count(Observed.WOULD_SAVE_SECONDS)).isEqualTo(75 * 60);
    assertThat(drift.newest()).hasSize(1);
  }

  @Test
  void saveNothingWhereTheyWouldBeAloneAnyway() {
    ShadowRuns runs = runs();
    runs.decided(
        decision(
            new PodIdentity("team-a", "train", null),
            Policy.Mode.SHADOW,
            MemorySize.ofMiB(400),
            1));
    pods = List.of("team-a/train");
    look(runs, 30);
    assertThat(count(Observed.WOULD_SAVE_SECONDS)).isZero();
  }

  @Test
  void areFoundByWhatGeneratedNamesBeginWith() {
    ShadowRuns runs = runs();
    runs.decided(shared(new PodIdentity("team-a", null, "tune-"), Policy.Mode.SHADOW));
    pods = List.of("team-a/tune-x7k2p");
    runs.observe();
    look(runs, 75);
    assertThat(count(Observed.UTILIZATION_CHECKED)).isEqualTo(1);
  }

  @Test
  void areNotCountedWithOthersOrOfOtherNamesOrModes() {
    ShadowRuns runs = runs();
    runs.decided(shared(new PodIdentity("team-a", "train", null), Policy.Mode.SHADOW));
    runs.decided(shared(new PodIdentity("team-a", "acts", null), Policy.Mode.ENFORCE));
    for (List<String> there :
        List.of(
            List.of("team-a/train", "team-a/other"),
            List.of("team-b/train"),
            List.of("team-a/train2"),
            List.of("team-a/acts"),
            List.<String>of())) {
      pods = there;
      look(runs, 75);
    }
    assertThat(evidence.namespaces(Set.of())).extracting(Known::counts).isEmpty();
  }

  /** One GPU with a sample a minute over the last hour. */
  private final class Readings implements ReadingsSource {
    @Override
    public String kind() {
      return "test";
    }

    @Override
    public String description() {
      return "test";
    }

    @Override
    public Optional<Instant> readAt() {
      return Optional.of(now);
    }

    @Override
    public Instant now() {
      return now;
    }

    @Override
    public ClusterSnapshot snapshot() {
      return new ClusterSnapshot(now, List.of());
    }

    @Override
    public Optional<GpuSnapshot> find(String uuid) {
      return Optional.empty();
    }

    @Override
    public Optional<Duration> forecastAge() {
      return Optional.empty();
    }

    @Override
    public List<GpuReading> readings() {
      List<MemorySample> samples = new ArrayList<>();
      for (int minute = 60; minute >= 0; minute--) {
        samples.add(new MemorySample(now.minus(Duration.ofMinutes(minute)), MemorySize.ofGiB(3)));
      }
      return List.of(
          new GpuReading(
              "GPU-1",
              "node",
              ENGINE.devices().require("a100-40gb"),
              MemorySize.ofGiB(39),
              new Tenancy.Shared(List.of()),
              new MemorySeries(samples),
              Utilization.ofPercent(77),
              pods,
              null));
    }

    @Override
    public Optional<Duration> age(String uuid) {
      return Optional.of(Duration.ZERO);
    }
  }
}
