package dev.cotenant.service.decisions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DecisionHistoryTest {
  static DecisionRecord decision(int second) {
    return decision(second, new PodIdentity("team-a", "pod-" + second, null));
  }

  static DecisionRecord decision(int second, PodIdentity pod) {
    return new DecisionRecord(
        Instant.ofEpochSecond(second),
        new Colocatable(
            pod,
            new GpuRequest(GpuDialect.NVIDIA, "main", 8, null, null),
            new WorkloadAnnotations(
                null, 1, RunSettings.DEFAULT, null, null, null, null, List.of()),
            new NodeConstraints(null, List.of())),
        new PlacementRequest.Whole("w", 1, new ExclusiveCause.SeveralGpus(), Map.of()),
        new Decision.Denied(List.of(new Reason.NoCandidateGpu(0, "there are none"))),
        Intent.REAL,
        Policy.Mode.IMMEDIATE);
  }

  private static List<Long> seconds(List<DecisionRecord> decisions) {
    return decisions.stream().map(made -> made.at().getEpochSecond()).toList();
  }

  @Test
  void remembersTheNewestFirstAndForgetsTheOldest() {
    DecisionHistory history = new DecisionHistory(3);
    for (int second = 1; second <= 5; second++) {
      history.add(decision(second));
    }
    assertThat(seconds(history.newest(10, _ -> true))).containsExactly(5L, 4L, 3L);
    assertThat(seconds(history.newest(2, _ -> true))).containsExactly(5L, 4L);
  }

  @Test
  void isEmptyAtFirst() {
    assertThat(new DecisionHistory(1).newest(5, _ -> true)).isEmpty();
  }

  @Test
  void needsRoomForOne() {
    assertThatThrownBy(() -> new DecisionHistory(0)).hasMessageContaining("capacity");
  }
}
