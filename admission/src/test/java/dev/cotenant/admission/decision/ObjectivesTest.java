package dev.cotenant.admission.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ObjectivesTest {
  private static final Load RATE = new Load.RequestRate(20);

  private static Colocatable pod(
      @Nullable String model, int gpus, Load load, @Nullable Duration objective) {
    return new Colocatable(
        new PodIdentity("team-a", "p", null),
        new GpuRequest(GpuDialect.NVIDIA, "main", gpus, null, null),
        new WorkloadAnnotations(
            model,
            1,
            RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32).withLoad(load),
            null,
            objective,
            null,
            null,
            List.of()),
        new NodeConstraints(null, List.of()));
  }

  @Test
  void saysWhatHasNoEffect() {
    Duration objective = Duration.ofMillis(40);

    assertThat(Objectives.withoutEffect(pod("vgg19", 1, RATE, objective))).isEmpty();
    assertThat(Objectives.withoutEffect(pod("vgg19", 1, RATE, null))).isEmpty();
    assertThat(Objectives.withoutEffect(pod(null, 1, RATE, objective)))
        .containsExactly("slo-latency is not enforced: no model is named");
    assertThat(Objectives.withoutEffect(pod("vgg19", 2, RATE, objective)))
        .containsExactly(
            "slo-latency is not enforced: step times on several GPUs are not predicted");
    assertThat(Objectives.withoutEffect(pod("vgg19", 1, Load.UNSTATED, objective)))
        .containsExactly(
            "slo-latency covers a batch without queueing until a request-rate is stated or"
                + " measured");
    assertThat(Objectives.withoutEffect(pod("vgg19", 1, RATE, objective), null))
        .containsExactly(
            "slo-latency is not enforced: there is no prediction for the pod on this GPU");
  }
}
