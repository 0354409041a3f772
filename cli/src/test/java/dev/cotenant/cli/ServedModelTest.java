package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.patch.GrantAnnotations;
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
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.view.DecisionView;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** MobileNetV2 with an objective of 50 ms on one A100, limited to shares of its SMs. */
class ServedModelTest {
  private static final Policy POLICY =
      Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.VISIBLE_DEVICES);

  private final Engine engine = Engine.standard();
  private final Clock clock = Clock.fixed(Instant.parse("2026-11-23T12:00:00Z"), ZoneOffset.UTC);
  private final PodDecisions decisions = decisions();

  private PodDecisions decisions() {
    ModelRegistry models = ModelRegistry.of(engine);
    models.loadDirectory(Path.of("..", "examples", "models"));
    Device a100 = engine.devices().require("a100-40gb");
    MemoryObservation idle =
        new MemoryObservation.Measured(
            MemorySize.ZERO,
            MemorySize.ZERO,
            Duration.ofSeconds(20),
            Duration.ofMinutes(15),
            List.of());
    ClusterSnapshot snapshot =
        new ClusterSnapshot(
            clock.instant(),
            List.of(
                new GpuSnapshot(
                    "GPU-a",
                    "n1",
                    a100,
                    MemorySize.ofGiB(40),
                    new Tenancy.Shared(List.of()),
                    idle)));
    return new PodDecisions(
        new DecisionPorts(
            () -> snapshot, new RegisteredModelPredictor(models, engine), engine.decider(), clock),
        Policies.of(POLICY),
        new Ledger(clock, Ledger.DEFAULT_HOLD));
  }

  private static Colocatable service(String name, double rate) {
    return new Colocatable(
        new PodIdentity("team-a", name, null),
        new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
        new WorkloadAnnotations(
            "mobilenet_v2",
            1,
            RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32)
                .withLoad(new Load.RequestRate(rate)),
            null,
            Duration.ofMillis(50),
            null,
            null,
            List.of()),
        new NodeConstraints(null, List.of()));
  }

  @Test
  void sharesTheGpuInAShareAtLittleLoad() {
    for (String name : List.of("first", "second", "third")) {
      Colocatable pod = service(name, 20);
      Decision decision = decisions.decideOnReview(pod, name).decision();
      assertThat(decision).isInstanceOf(Decision.Admitted.class);
      Decision.Admitted admitted = (Decision.Admitted) decision;
      assertThat(GrantAnnotations.decision(admitted)).isEqualTo(GrantAnnotations.ADMITTED);
      assertThat(GrantAnnotations.reason(admitted)).contains("in a share of 10.0 %");
      assertThat(GpuAssignment.of(POLICY.gpuAssignment()).annotations(pod, admitted))
          .containsEntry("cotenant.dev/mps-active-thread-percentage", "10");
      DecisionView.ServiceView view =
          Objects.requireNonNull(
              Objects.requireNonNull(DecisionView.of(name, pod.model(), decision).evidence())
                  .service());
      assertThat(view.objectiveSeconds()).isEqualTo(0.05);
      assertThat(view.requestRate()).isEqualTo(20);
      assertThat(view.p99AloneSeconds()).isBetween(0.005, 0.05);
      assertThat(view.mostSlowdownRatio()).isGreaterThan(1.15);
      assertThat(view.sharePercent()).isEqualTo(10);
    }
  }

  @Test
  void isRefusedAtTenTimesTheRateWithWhatWouldDo() {
    Decision decision = decisions.decideOnReview(service("busy", 200), "busy").decision();

    assertThat(decision).isInstanceOf(Decision.Denied.class);
    assertThat(decision.reasons())
        .singleElement()
        .satisfies(reason -> {
          assertThat(reason.code()).isEqualTo("ObjectiveMissed");
          assertThat(reason.sentence()).contains("2 replicas with at most");
        });
    Colocatable replica = service("replica", 100);
    assertThat(decisions.decideOnReview(replica, "replica").decision())
        .isInstanceOf(Decision.Admitted.class);
    assertThat(decisions.decideOnReview(service("other", 200).withBatch(4), "other").decision())
        .isInstanceOf(Decision.Admitted.class);
  }
}
