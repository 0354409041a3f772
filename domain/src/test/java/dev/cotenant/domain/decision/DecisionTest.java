package dev.cotenant.domain.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionTest {
  @Test
  void refusalsAlwaysHaveAReason() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Decision.Held(List.of()));
    assertThatIllegalArgumentException().isThrownBy(() -> new Decision.Denied(List.of()));
  }

  @Test
  void admissionsAlwaysHaveAGrant() {
    Evidence evidence = new Evidence.FreeGpus(2, new PlacementRequest.ExclusiveCause.SeveralGpus());

    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Decision.Admitted(List.of(), evidence));
  }

  @Test
  void reasonsCarryStableCodesAndSayTheirNumbers() {
    Reason stale =
        new Reason.MetricsStale("GPU-1", "n1", Duration.ofMinutes(5), Duration.ofMinutes(2));
    Reason utilization =
        new Reason.UtilizationExceeded(
            "GPU-1",
            "n1",
            SummedUtilization.ofPercent(70),
            Utilization.IDLE,
            Utilization.ofPercent(45),
            SummedUtilization.ofPercent(100),
            null);

    assertThat(stale.code()).isEqualTo("MetricsStale");
    assertThat(stale.sentence())
        .isEqualTo("GPU-1 on n1: newest memory sample is 300 s old, limit 120 s");
    assertThat(utilization.code()).isEqualTo("UtilizationExceeded");
    assertThat(utilization.sentence()).contains("115.0 %").contains("limit 100.0 %");
  }

  @Test
  void limitsOnlyEverTighten() {
    SharingLimits limits = SharingLimits.DEFAULT;

    assertThat(limits.withSlowdownAtMost(Slowdown.ofRatio(1.05)).slowdown().ratio())
        .isEqualTo(1.05);
    assertThat(limits.withSlowdownAtMost(Slowdown.ofRatio(3))).isEqualTo(limits);
  }
}
