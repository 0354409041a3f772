package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.evidence.MemoryOfDrift;
import dev.cotenant.service.evidence.MemoryOfEvidence;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A pod that was alone for its profile time gives a row, and no other does. */
class ProfiledRunsTest {
  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
  private static final Duration TIME = Duration.ofMinutes(5);
  private static final Engine ENGINE = Engine.standard();
  private static final Path MODEL = RunningService.root().resolve("examples/models/resnet18.onnx");

  private final FakeModelStore store = new FakeModelStore();
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

  private static Holding holding(@Nullable EngineRun run, @Nullable Instant aloneUntil) {
    PodIdentity pod = new PodIdentity("team-a", "train", null);
    Prediction prediction =
        ENGINE.predict(
            ENGINE.inspect(MODEL, 16, Map.of()),
            RunSettings.DEFAULT,
            ENGINE.devices().require("a100-40gb"));
    WatchedPod watched =
        new WatchedPod(
            "uid",
            "1",
            pod,
            new Colocatable(
                pod,
                new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                new WorkloadAnnotations(
                    run == null ? "my-model" : null,
                    16,
                    RunSettings.DEFAULT,
                    null,
                    null,
                    null,
                    null,
                    List.of(),
                    run,
                    null),
                new NodeConstraints(null, List.of())),
            Map.of(CotenantAnnotations.PROFILE_TIME, TIME.toSeconds() + "s"),
            new WatchedPod.Scheduling(
                List.of(),
                "node",
                NodeRequirements.NONE,
                0,
                false,
                WatchedPod.Scheduling.DEFAULT_SCHEDULER),
            new WatchedPod.Life(START, START, WatchedPod.Phase.RUNNING, false, false, null),
            true,
            Footprint.NONE);
    return new Holding(
        watched,
        GrantState.OBSERVED,
        new Decision.Admitted(
            List.of(new Grant("GPU-1", "node", prediction)), new Evidence.Recorded("")),
        aloneUntil);
  }

  private static Optional<GpuReading> window(String uuid, Instant from, Instant to) {
    return Optional.of(
        new GpuReading(
            uuid,
            "node",
            ENGINE.devices().require("a100-40gb"),
            MemorySize.ofGiB(39),
            new Tenancy.Shared(List.of()),
            new MemorySeries(
                List.of(
                    new MemorySample(from, MemorySize.ofGiB(3)),
                    new MemorySample(to, MemorySize.ofGiB(3)))),
            Utilization.ofPercent(77)));
  }

  private int rowsOf(Holding held) {
    ModelRegistry models = ModelRegistry.of(ENGINE);
    models.put(models.read("my-model", MODEL));
    ProfiledRuns runs =
        new ProfiledRuns(
            ProfiledRunsTest::window,
            () -> List.of(held),
            new ClusterFeedback.Sources(
                ENGINE,
                models,
                store.profiles(),
                evidence,
                new DriftWatch(new MemoryOfDrift(), new SimpleMeterRegistry())),
            new SimpleMeterRegistry(),
            () -> START.plus(TIME));
    runs.observe();
    runs.observe();
    return store.profiles().all().size();
  }

  @Test
  void aPodThatWasAloneGivesOneRow() {
    assertThat(rowsOf(holding(null, START.plus(TIME)))).isEqualTo(1);
  }

  @Test
  void aGpuThatWasOpenedBeforeGivesNone() {
    assertThat(rowsOf(holding(null, START.plus(TIME).minusSeconds(1)))).isZero();
    assertThat(rowsOf(holding(null, null))).isZero();
  }

  @Test
  void aLanguageModelGivesNoneOfTheGraphWithItsName() {
    EngineRun run =
        new EngineRun(
            "team-a",
            EngineRun.Kind.TRAINING,
            "torchrun",
            null,
            "my-model",
            false,
            Map.of(),
            List.of());

    assertThat(rowsOf(holding(run, START.plus(TIME)))).isZero();
  }
}
