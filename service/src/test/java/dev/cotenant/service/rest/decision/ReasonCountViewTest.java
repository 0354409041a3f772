package dev.cotenant.service.rest.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReasonCountViewTest {
  @Test
  void countsGpusAndNodesByCodeTheMostFrequentFirst() {
    List<Reason> reasons =
        List.of(
            new Reason.WaitTimeout(Duration.ofMinutes(11), Duration.ofMinutes(10)),
            new Reason.NodeExcluded("node-3", "cordoned"),
            new Reason.NoMetrics("GPU-1", "node-1"),
            new Reason.NoMetrics("GPU-2", "node-1"),
            new Reason.NoMetrics("GPU-2", "node-1"));
    assertThat(ExplanationView.ReasonCountView.of(new Decision.Held(reasons)))
        .containsExactly(
            new ExplanationView.ReasonCountView("NoMetrics", 3, 2, 1),
            new ExplanationView.ReasonCountView("NodeExcluded", 1, 0, 1),
            new ExplanationView.ReasonCountView("WaitTimeout", 1, 0, 0));
  }
}
