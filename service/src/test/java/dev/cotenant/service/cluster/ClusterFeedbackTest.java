package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.evidence.EvidenceCounts;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A pod is admitted, runs alone, and comes back as a row. */
class ClusterFeedbackTest {
  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

  private static final Engine ENGINE = Engine.standard();

  private Instant now = START;
  private Policy policy = Policy.DEFAULT;
  private int gpus = 1;
  private MemorySize used = MemorySize.ofGiB(3);
  private Utilization utilization = Utilization.ofPercent(77);
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
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Ledger ledger = new Ledger(() -> now, Duration.ofMinutes(2));

  private ClusterFeedback feedback() {
    ModelRegistry models = ModelRegistry.of(ENGINE);
    models.put(
        models.read("my-model", RunningService.root().resolve("examples/models/resnet18.onnx")));
    return new ClusterFeedback(
        new HourOfSamples(),
        () -> ActiveGrant.of(ledger, Policies.of(policy)),
        new ClusterFeedback.Sources(
            ENGINE,
            models,
            store.profiles(),
            evidence,
            new DriftWatch(new MemoryOfDrift(), meters)),
        meters);
  }

  private static Prediction prediction() {
    var features =
        ENGINE.inspect(
            RunningService.root().resolve("examples/models/resnet18.onnx"), 16, Map.of());
    return ENGINE.predict(features, RunSettings.DEFAULT, ENGINE.devices().require("a100-40gb"));
  }

  private void admit(String name) {
    Colocatable pod =
        new Colocatable(
            new PodIdentity("team-a", name, null),
            new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
            new WorkloadAnnotations(
                "my-model", 16, RunSettings.DEFAULT, null, null, null, null, List.of()),
            new NodeConstraints(null, List.of()));
    Decision admitted =
        new Decision.Admitted(
            List.of(new Grant("GPU-1", "node", prediction())),
            new Evidence.FreeGpus(1, new ExclusiveCause.SeveralGpus()));
    ledger.decideAndAllocate(
        new CapacityRequest(name, pod), new ClusterSnapshot(now, List.of()), c -> admitted);
    assertThat(ledger.bind(name, pod.onNode("node"), "uid-" + name))
        .isEqualTo(new Ledger.Confirmed());
  }

  private long compared() {
    return evidence.namespaces(Set.of()).stream()
        .mapToLong(one -> one.count(Observed.UTILIZATION_CHECKED))
        .sum();
  }

  private List<ProfileRow> rows() {
    return store.profiles().all().stream().map(stored -> stored.row()).toList();
  }

  @Test
  void givesOneRowOnceAWholeWindowWasItsOwn() {
    ClusterFeedback feedback = feedback();
    admit("train");
    feedback.observe();
    now = START.plus(Duration.ofMinutes(64));
    feedback.observe();
    assertThat(rows()).isEmpty();
    now = START.plus(Duration.ofMinutes(66));
    feedback.observe();
    now = START.plus(Duration.ofMinutes(90));
    feedback.observe();
    assertThat(rows()).hasSize(1);
    assertThat(compared()).as("runs compared with their bounds").isEqualTo(1);
    assertThat(rows().getFirst().family()).isEqualTo("my-model");
    assertThat(rows().getFirst().features().batchSize()).isEqualTo(16);
    assertThat(rows().getFirst().utilization()).isEqualTo(Utilization.ofPercent(77));
    assertThat(
            meters
                .get("cotenant.drift.utilization.bias")
                .tag("device", "a100-40gb")
                .gauge()
                .value())
        .isFinite();
    assertThat(meters.get("cotenant.drift.utilization.above.upper").gauge().value())
        .isBetween(0.0, 1.0);
  }

  @Test
  void aRowMovesPredictionsOfThePodsNamespaceAlone() {
    runAlone();
    assertThat(store.profiles().all())
        .extracting(StoredProfile::namespace)
        .containsExactly("team-a");
  }

  @Test
  void givesNoRowOfAPodThatIdlesUnderTheNameOfAModel() {
    used = MemorySize.ofBytes(20 << 20); // the weights alone are 45 MB
    utilization = Utilization.IDLE;
    runAlone();
    assertThat(store.profiles().all()).isEmpty();
  }

  private void runAlone() {
    ClusterFeedback feedback = feedback();
    admit("train");
    feedback.observe();
    now = START.plus(Duration.ofMinutes(66));
    feedback.observe();
  }

  @Test
  void givesNoRowWhereTheKubeletChoseOneOfSeveralGpus() {
    gpus = 2;
    ClusterFeedback feedback = feedback();
    admit("train");
    feedback.observe();
    now = START.plus(Duration.ofMinutes(66));
    feedback.observe();
    assertThat(rows()).isEmpty();

    policy = policy.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.HAMI);
    feedback.observe();
    now = START.plus(Duration.ofMinutes(132));
    feedback.observe();
    assertThat(rows()).hasSize(1);
  }

  @Test
  void startsAnewWhenTheGpuWasShared() {
    ClusterFeedback feedback = feedback();
    admit("train");
    feedback.observe();
    now = START.plus(Duration.ofMinutes(30));
    admit("other");
    feedback.observe();
    ledger.releaseEnded(new PodIdentity("team-a", "other", null), "uid-other");
    feedback.observe();
    now = START.plus(Duration.ofMinutes(66));
    feedback.observe();
    assertThat(rows()).isEmpty();
    now = START.plus(Duration.ofMinutes(96));
    feedback.observe();
    assertThat(rows()).hasSize(1);
  }

  @Test
  void offersTheRowAgainAfterTheStoreFailed() {
    ClusterFeedback feedback = feedback();
    admit("train");
    feedback.observe();
    now = START.plus(Duration.ofMinutes(66));
    store.setDown(true);
    assertThatThrownBy(feedback::observe).isInstanceOf(StoreException.class);
    store.setDown(false);
    feedback.observe();
    assertThat(rows()).hasSize(1);
  }

  /** GPUs with a sample a minute over the last hour. */
  private final class HourOfSamples implements ReadingsSource {
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
        samples.add(new MemorySample(now.minus(Duration.ofMinutes(minute)), used));
      }
      return IntStream.rangeClosed(1, gpus).mapToObj(i -> reading("GPU-" + i, samples)).toList();
    }

    private GpuReading reading(String uuid, List<MemorySample> samples) {
      return new GpuReading(
          uuid,
          "node",
          ENGINE.devices().require("a100-40gb"),
          MemorySize.ofGiB(39),
          new Tenancy.Shared(List.of()),
          new MemorySeries(samples),
          utilization);
    }

    @Override
    public Optional<Duration> age(String uuid) {
      return Optional.of(Duration.ZERO);
    }
  }
}
