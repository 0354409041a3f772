package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.free;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Decisions.codes;
import static dev.cotenant.placement.Decisions.lines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whole GPUs for workloads whose memory is predicted. */
class WholeGpuMemoryTest {
  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  /** Means are 0.9 of the bound: 45 for 50 GiB and 40.5 for 45; the GPU has 40, two have 80. */
  @Test
  void refusesWholeGpusThatAreTooSmallForTheExpectedMemory() {
    PlacementRequest.Whole one = whole(1, 50);
    ClusterSnapshot two = cluster(free("GPU-a"), free("GPU-b"));

    assertThat(decider.decide(two, one)).isInstanceOf(Decision.Denied.class);
    assertThat(lines(decider.decide(two, one)))
        .containsExactly(
            "MemoryForecastExceeded: GPU-a on node-1: memory of this workload alone is predicted as"
                + " 45 GiB, limit 40 GiB",
            "MemoryForecastExceeded: GPU-b on node-1: memory of this workload alone is predicted as"
                + " 45 GiB, limit 40 GiB");
    assertThat(decider.decide(two, whole(1, 44))).isInstanceOf(Decision.Admitted.class);
    assertThat(decider.decide(two, whole(2, 50))).isInstanceOf(Decision.Admitted.class);
    assertThat(codes(decider.decide(two, whole(2, 100))))
        .containsExactly("MemoryForecastExceeded", "MemoryForecastExceeded");
  }

  private static PlacementRequest.Whole whole(int gpus, long upperGib) {
    return new PlacementRequest.Whole(
        "team-a/x",
        gpus,
        new PlacementRequest.ExclusiveCause.SeveralGpus(),
        Map.of(A100.id(), prediction(50, upperGib)));
  }
}
