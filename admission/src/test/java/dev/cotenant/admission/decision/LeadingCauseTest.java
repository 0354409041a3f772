package dev.cotenant.admission.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeadingCauseTest {
  private static final Reason HELD_WHOLE =
      new Reason.ExclusiveRequested("GPU-1", "node-1", "team-a/other");
  private static final Reason EXCLUDED =
      new Reason.NodeExcluded("node-4", "the pod selects node 'node-1'");

  private static Reason tooSmall(String gpu, long limit) {
    return new Reason.PredictedMemoryExceeded(
        gpu, "node-2", MemorySize.ofGiB(171), 1, MemorySize.ofGiB(limit));
  }

  @Test
  void aPodThatNeverFitsIsTooLargeWhateverElseIsInUse() {
    List<Reason> reasons =
        List.of(HELD_WHOLE, HELD_WHOLE, tooSmall("GPU-2", 16), EXCLUDED, tooSmall("GPU-3", 40));
    LeadingCause cause = LeadingCause.of(new Decision.Denied(reasons));
    assertThat(cause.code()).isEqualTo("TooLarge");
    assertThat(cause.text()).contains("needs 171", "largest has 40");
  }

  @Test
  void aPodThatMayFitLaterIsNotTooLargeOnAccountOfSmallerGpus() {
    List<Reason> reasons = List.of(tooSmall("GPU-2", 16), HELD_WHOLE);
    assertThat(LeadingCause.of(new Decision.Held(reasons)))
        .isEqualTo(new LeadingCause("ExclusiveRequested", null));
  }

  @Test
  void aPodThatIsHeldForExcludedNodesIsTooLargeWhereEveryOtherGpuIsTooSmall() {
    assertThat(LeadingCause.of(new Decision.Held(List.of(tooSmall("GPU-2", 16), EXCLUDED))).code())
        .isEqualTo("TooLarge");
  }

  @Test
  void aGpuThatIsHeldWholeIsTooSmallAllTheSame() {
    Reason larger =
        new Reason.PredictedMemoryExceeded(
            "GPU-1", "node-1", MemorySize.ofGiB(171), 1, MemorySize.ofGiB(80));
    LeadingCause cause =
        LeadingCause.of(
            new Decision.Held(List.of(HELD_WHOLE, larger, tooSmall("GPU-2", 16), EXCLUDED)));
    assertThat(cause.code()).isEqualTo("TooLarge");
    assertThat(cause.text()).contains("needs 171", "largest has 80");
  }

  @Test
  void aPodThatWaitedTooLongKeepsItsCause() {
    Reason timeout = new Reason.WaitTimeout(Duration.ofMinutes(12), Duration.ofMinutes(10));
    Reason unmeasured = new Reason.NoMetrics("GPU-1", "node-1");
    assertThat(LeadingCause.of(new Decision.Held(List.of(timeout, unmeasured))).code())
        .isEqualTo("NoMetrics");
    assertThat(LeadingCause.of(new Decision.Held(List.of(timeout))).code())
        .isEqualTo("WaitTimeout");
  }

  @Test
  void whatKeepsAPodFromItsOwnNodesComesBeforeTheNodesThatItExcludes() {
    assertThat(LeadingCause.of(new Decision.Held(List.of(HELD_WHOLE, EXCLUDED))))
        .isEqualTo(new LeadingCause("ExclusiveRequested", null));
    assertThat(LeadingCause.of(new Decision.Held(List.of(EXCLUDED))))
        .isEqualTo(new LeadingCause("NodeExcluded", null));
  }
}
