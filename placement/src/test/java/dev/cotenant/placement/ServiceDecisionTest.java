package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.free;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.tenant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Services with a latency objective. */
class ServiceDecisionTest {
  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  private static Prediction service(double mostSlowdown) {
    double alone = mostSlowdown < 1 ? 0.08 : 0.03;
    return prediction(30, 2)
        .withService(
            new ObjectivePrediction(
                Duration.ofMillis(50),
                200.0,
                alone,
                mostSlowdown,
                mostSlowdown < 1 ? 90 : 200,
                Share.WHOLE));
  }

  private static PlacementRequest.Share request(Prediction prediction) {
    return new PlacementRequest.Share(
        "team-a/service", Map.of(A100.id(), prediction), SharingLimits.DEFAULT);
  }

  private static ClusterSnapshot busy(double percent) {
    return cluster(
        gpu(
            "gpu-a",
            shared(tenant("team-a/old", percent, 2, Duration.ofHours(1))),
            measured(2, 2)));
  }

  @Test
  void sharesAsLongAsTheObjectiveStandsTheSlowdown() {
    Decision relaxed = decider.decide(busy(45), request(service(3)));
    assertThat(Decisions.evidence(relaxed).limits().slowdown()).isEqualTo(Slowdown.ofRatio(1.15));
    assertThat(Decisions.evidence(relaxed).slowdown().ratio()).isGreaterThan(1.02);

    Decision strict = decider.decide(busy(45), request(service(1.02)));
    assertThat(strict).isInstanceOf(Decision.Held.class);
    assertThat(Decisions.lines(strict))
        .singleElement()
        .asString()
        .startsWith("InterferenceExceeded: gpu-a on node-1")
        .endsWith("limit 1.02x");
  }

  @Test
  void limitsTheSlowdownToWhatTheObjectiveStands() {
    Decision alone = decider.decide(cluster(free("gpu-a")), request(service(1.02)));
    assertThat(Decisions.evidence(alone).limits().slowdown()).isEqualTo(Slowdown.ofRatio(1.02));
    assertThat(Decisions.evidence(alone).sentence())
        .endsWith("objective 50.0 ms at 200.0/s, alone 30.0 ms, met up to 1.02x");
  }

  @Test
  void holdsTheLimitAgainstLaterWorkloads() {
    Prediction service = service(1.02);
    Tenant limited =
        new Tenant(
            "team-a/service",
            service.utilization(),
            service.peakMemory(),
            Slowdown.ofRatio(1.02),
            Clusters.NOW.minus(Duration.ofHours(1)));
    ClusterSnapshot snapshot = cluster(gpu("gpu-a", shared(limited), measured(2, 2)));

    assertThat(Decisions.codes(decider.decide(snapshot, Clusters.share(45, 2))))
        .containsExactly("InterferenceExceeded");
  }

  @Test
  void deniesWhatMissesItsObjectiveAloneAndSaysWhatWouldDo() {
    Decision decision = decider.decide(cluster(free("gpu-a")), request(service(0.6)));

    assertThat(decision).isInstanceOf(Decision.Denied.class);
    assertThat(Decisions.lines(decision))
        .containsExactly(
            "ObjectiveMissed: gpu-a on node-1: 99 % of requests would take up to 80.0 ms alone with"
                + " batch 64, objective 50.0 ms at 200.0/s; 3 replicas with at most 90.0/s each are"
                + " needed");
  }

  @Test
  void grantsNoWholeGpuOnWhichTheObjectiveIsMissed() {
    PlacementRequest.Whole whole =
        new PlacementRequest.Whole(
            "team-a/service",
            1,
            new ExclusiveCause.WaitTimeout(Duration.ofMinutes(11), Duration.ofMinutes(10)),
            Map.of(A100.id(), service(0.6)));

    assertThat(Decisions.codes(decider.decide(cluster(free("gpu-a")), whole)))
        .contains("ObjectiveMissed");
  }
}
