package dev.cotenant.service.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.policy.Policy;
import dev.cotenant.service.evidence.EvidenceCounts.Known;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadinessTest {
  private static Readiness of(Policy.Mode mode, long checked, long utilization, long memory) {
    return Readiness.of(
        new Known(
            "team-a",
            Map.of(
                Observed.UTILIZATION_CHECKED,
                checked,
                Observed.UTILIZATION_HELD,
                utilization,
                Observed.MEMORY_CHECKED,
                checked,
                Observed.MEMORY_HELD,
                memory),
            20_000),
        mode);
  }

  @Test
  void needsMeasuredRuns() {
    assertThat(of(Policy.Mode.SHADOW, 19, 19, 19))
        .isEqualTo(
            new Readiness(
                false, false, "the utilization of 19 runs was measured, at least 20 are needed"));
    assertThat(of(Policy.Mode.SHADOW, 1, 1, 1).because())
        .isEqualTo("the utilization of 1 run was measured, at least 20 are needed");
    assertThat(Readiness.of(new Known("a", Map.of(), 1), Policy.Mode.WARN).isReady()).isFalse();
  }

  /** Of 100 bounds that hold in 90 % of cases, at most 84 hold with a probability of 0.040. */
  @Test
  void isContradictedBySoFewHeldBoundsOnly() {
    assertThat(of(Policy.Mode.SHADOW, 100, 85, 85).isReady()).isTrue();
    assertThat(of(Policy.Mode.SHADOW, 100, 84, 100))
        .isEqualTo(
            new Readiness(
                false, false, "84 of 100 bounds of utilization held, stated in 90 % of cases"));
    assertThat(of(Policy.Mode.SHADOW, 100, 100, 84).because())
        .isEqualTo("84 of 100 bounds of memory held, stated in 90 % of cases");
    assertThat(of(Policy.Mode.SHADOW, 1_000_000, 1_000_000, 899_000).isReady()).isFalse();
    assertThat(of(Policy.Mode.SHADOW, 1_000_000, 1_000_000, 1_000_000).isReady()).isTrue();
  }

  @Test
  void whatIsInForceIsJudgedAsWell() {
    assertThat(of(Policy.Mode.ENFORCE, 100, 84, 100))
        .isEqualTo(
            new Readiness(
                false, true, "84 of 100 bounds of utilization held, stated in 90 % of cases"));
    assertThat(of(Policy.Mode.IMMEDIATE, 0, 0, 0).isReady()).isFalse();
    assertThat(of(Policy.Mode.IMMEDIATE, 100, 90, 90).isReady()).isTrue();
  }
}
