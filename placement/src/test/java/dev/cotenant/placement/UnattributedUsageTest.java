package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.observed;
import static dev.cotenant.placement.Clusters.share;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.tenant;
import static dev.cotenant.placement.Decisions.codes;
import static dev.cotenant.placement.Decisions.evidence;
import static dev.cotenant.placement.Decisions.grantedTo;
import static dev.cotenant.placement.Decisions.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Utilization that was observed and that no tenant explains. */
class UnattributedUsageTest {
  private static final Duration OLD = Duration.ofHours(2);
  private static final Duration YOUNG = Duration.ofMinutes(1);

  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  /**
   * The tenant is predicted 36 % on average and 40 % at most; 70 % are observed, so that 34 % are
   * somebody else's: 40 + 34 + 26 = 100.
   */
  @Test
  void countsUtilizationThatNoTenantExplains() {
    ClusterSnapshot snapshot =
        cluster(observed("GPU-a", 70, shared(tenant("t/1", 40, 8, OLD)), measured(8, 8)));

    assertThat(evidence(decider.decide(snapshot, share(26, 4))).summedUtilization().percent())
        .isCloseTo(100, within(1e-9));
    assertThat(reasons(decider.decide(snapshot, share(29, 4))))
        .extracting(Reason::sentence)
        .containsExactly(
            "GPU-a on node-1: predicted utilization would sum to 103.0 % (tenants 40.0 % +"
                + " unattributed usage 34.0 % + this workload 29.0 %), limit 100.0 %");
  }

  @Test
  void letsAYoungTenantExplainNothing() {
    ClusterSnapshot snapshot =
        cluster(observed("GPU-a", 35, shared(tenant("t/1", 40, 8, YOUNG)), measured(8, 8)));

    assertThat(reasons(decider.decide(snapshot, share(26, 4))))
        .extracting(Reason::sentence)
        .containsExactly(
            "GPU-a on node-1: predicted utilization would sum to 101.0 % (tenants 40.0 % +"
                + " unattributed usage 35.0 %, perhaps of new tenants, + this workload 26.0 %),"
                + " limit 100.0 %");
    assertThat(decider.decide(snapshot, share(24, 4))).isInstanceOf(Decision.Admitted.class);
  }

  /** Nobody was granted anything, 50 + 45 = 95 %: slowdown 1.12 is above 1.05. */
  @Test
  void foreseesTheSlowdownByUnattributedUsageToo() {
    SharingLimits strict = SharingLimits.DEFAULT.withSlowdownAtMost(Slowdown.ofRatio(1.05));
    ClusterSnapshot snapshot = cluster(observed("GPU-a", 50, shared(), measured(0, 0)));

    assertThat(codes(decider.decide(snapshot, share(45, 4, strict))))
        .containsExactly("InterferenceExceeded");
  }

  @Test
  void doesNotCallAGpuFreeThatSomebodyUnknownKeepsBusy() {
    PlacementRequest.Whole one =
        new PlacementRequest.Whole(
            "team-a/x", 1, new PlacementRequest.ExclusiveCause.SeveralGpus(), Map.of());

    assertThat(
            codes(decider.decide(cluster(observed("GPU-a", 5.1, shared(), measured(0, 0))), one)))
        .containsExactly("ExclusiveRequested");
    assertThat(
            grantedTo(decider.decide(cluster(observed("GPU-a", 5, shared(), measured(0, 0))), one)))
        .isEqualTo("GPU-a");
  }
}
