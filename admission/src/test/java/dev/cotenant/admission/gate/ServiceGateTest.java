package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Gated services with a latency objective; a batch takes at most 5 ms on these GPUs. */
class ServiceGateTest {
  private static final Duration OBJECTIVE = Duration.ofMillis(50);

  private final GateBench bench = new GateBench(1);

  @Test
  void areGrantedWithWhatTheirObjectiveStands() {
    bench.lead();
    StoredPod service = bench.serve("service", "densenet121", 100, OBJECTIVE);

    assertThat(GateBench.gpu(service)).isEqualTo("GPU-1a");
    String stands = service.annotation(CotenantAnnotations.OBJECTIVE_SLOWDOWN);
    assertThat(Double.parseDouble(stands)).isBetween(1.0, 5.0);
    assertThat(service.annotations.get(CotenantAnnotations.REASON))
        .contains("objective 50.0 ms at 100.0/s", "met up to " + stands.substring(0, 4) + "x");
    assertThat(bench.events()).doesNotContain("ObjectiveNotEnforced");
  }

  @Test
  void areHeldWithWhatWouldKeepTheObjective() {
    bench.lead();
    StoredPod service = bench.serve("service", "densenet121", 1000, OBJECTIVE);

    assertThat(GateBench.gpu(service)).isNull();
    assertThat(bench.codes(service)).containsExactly("ObjectiveMissed");
    assertThat(bench.reasons(service).getFirst().sentence())
        .contains("the request rate is above the capacity", "replicas with at most")
        .endsWith(" would keep it there");
  }

  @Test
  void keepTheirNeighboursToTheirLimitUnderALaterLeaderToo() {
    bench.lead();
    StoredPod service = bench.serve("service", "densenet121", 100, Duration.ofMillis(23));
    assertThat(GateBench.gpu(service)).isEqualTo("GPU-1a");
    double stands = Double.parseDouble(service.annotation(CotenantAnnotations.OBJECTIVE_SLOWDOWN));
    assertThat(stands).isBetween(1.0, 1.09);
    StoredPod neighbour = bench.hold("neighbour", "vgg19", 1);
    assertThat(bench.codes(neighbour)).containsExactly("InterferenceExceeded");

    bench.lead();
    bench.settle();
    assertThat(bench.codes(neighbour)).containsExactly("InterferenceExceeded");
    assertThat(bench.reasons(neighbour).getFirst().sentence())
        .endsWith("limit %.2fx".formatted(stands));
  }

  @Test
  void areComputedSomeInEachCycleAndOthersWait() {
    bench.lead();
    List<StoredPod> services = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      services.add(bench.created("service-" + i, "densenet121", 1000 + 100 * i, OBJECTIVE));
    }

    assertThat(bench.cycle()).isZero();
    assertThat(pending(services)).hasSizeBetween(20, 39);

    bench.settle();
    bench.settle();
    assertThat(pending(services)).isEmpty();
    bench.measure();
    assertThat(pending(services)).as("answers are remembered over readings").isEmpty();
    assertThat(bench.codes(services.getLast())).containsExactly("ObjectiveMissed");
  }

  private List<StoredPod> pending(List<StoredPod> services) {
    return services.stream().filter(pod -> bench.codes(pod).contains("ObjectivePending")).toList();
  }

  @Test
  void areToldWhereTheObjectiveHasNoEffect() {
    bench.lead();
    bench.serve("service", null, 100, OBJECTIVE);

    assertThat(bench.events()).contains("ObjectiveNotEnforced");
  }

  @Test
  void getTheShareThatTheirObjectiveNeeds() {
    bench.policy =
        bench.policy.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.VISIBLE_DEVICES);
    bench.lead();

    StoredPod relaxed = bench.serve("relaxed", "densenet121", 20, OBJECTIVE);
    assertThat(relaxed.annotations.get(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE))
        .isEqualTo("20");
    StoredPod strict = bench.serve("strict", "densenet121", 20, Duration.ofMillis(14));
    assertThat(strict.annotations.get(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE))
        .isEqualTo("40");
  }
}
