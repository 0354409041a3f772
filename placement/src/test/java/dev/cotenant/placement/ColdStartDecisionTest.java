package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.memory;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.utilization;
import static dev.cotenant.placement.Decisions.evidence;
import static dev.cotenant.placement.Decisions.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.cold.ColdStart;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Decisions about workloads that nobody profiled, from their graphs. */
class ColdStartDecisionTest {
  private static final GraphWork WORK = new GraphWork(8.2e9, 106e6, 102e6, 54);

  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  private static Tenant tenant(String name, @Nullable GraphRun run) {
    return new Tenant(
        name,
        utilization(40),
        memory(4),
        Slowdown.ofRatio(3),
        Clusters.NOW.minus(Duration.ofHours(1)),
        run);
  }

  private static GraphRun run(int batch) {
    return new GraphRun(WORK, batch, RunSettings.DEFAULT);
  }

  private static ClusterSnapshot with(Tenant... tenants) {
    return cluster(gpu("GPU-a", shared(tenants), measured(4, 4)));
  }

  private static PlacementRequest.Share newcomer(double slowdownLimit) {
    SharingLimits limits =
        SharingLimits.DEFAULT.withSlowdownAtMost(Slowdown.ofRatio(slowdownLimit));
    return new PlacementRequest.Share(
        "team-a/new", Map.of(A100.id(), prediction(50, 4).withWork(WORK)), limits);
  }

  @Test
  void showsWhatASlowdownRestsOn() {
    Evidence.WithinLimits numbers =
        evidence(decider.decide(with(tenant("t/old", run(32))), newcomer(1.15)));
    SlowdownBasis basis = Objects.requireNonNull(numbers.basis());
    assertThat(basis.model()).isEqualTo("cold-start/training-pairs");
    assertThat(basis.parts()).hasSize(2);
    SlowdownBasis.InTime old = (SlowdownBasis.InTime) basis.parts().getFirst();
    assertThat(old.workload()).isEqualTo("t/old");
    assertThat(old.utilizationPercent()).isEqualTo(40);
    assertThat(old.bandwidthPercent())
        .isCloseTo(ColdStart.bandwidthPercent(WORK, 32, A100, 40), within(1e-9));
    assertThat(basis.upper().compareTo(numbers.slowdown())).isPositive();
    assertThat(numbers.sentence())
        .contains("in 90 % of cases by cold-start/training-pairs: t/old 40 % busy with ");
  }

  @Test
  void refusesWithTheSameNumbers() {
    List<Reason> reasons = reasons(decider.decide(with(tenant("t/old", run(32))), newcomer(1.001)));
    assertThat(reasons).hasSize(1);
    assertThat(reasons.getFirst()).isInstanceOf(Reason.InterferenceExceeded.class);
    assertThat(reasons.getFirst().sentence())
        .startsWith("GPU-a on ")
        .contains("predicted slowdown 1.")
        .contains("(at most 1.")
        .contains("newcomer 50 % busy with ")
        .endsWith("at a summed utilization of 90.0 %, limit 1.00x");
  }

  @Test
  void restsOnSummedUtilizationWhereAGraphIsNotKnown() {
    // 40 + 50 = 90 %: 1 / 0.930 by the curve.
    Evidence.WithinLimits numbers =
        evidence(decider.decide(with(tenant("t/old", null)), newcomer(1.15)));
    assertThat(numbers.basis()).isNull();
    assertThat(numbers.slowdown().ratio()).isCloseTo(1 / 0.930, within(1e-9));
    assertThat(numbers.sentence()).doesNotContain("in 90 % of cases");
  }

  @Test
  void decidesTheSameInWhateverOrderTenantsAreNamed() {
    Tenant first = tenant("t/a", run(8));
    Tenant second = tenant("t/b", run(64));
    SharingLimits limits = SharingLimits.DEFAULT;
    PlacementRequest.Share small =
        new PlacementRequest.Share(
            "team-a/new", Map.of(A100.id(), prediction(10, 2).withWork(WORK)), limits);
    Evidence.WithinLimits one = evidence(decider.decide(with(first, second), small));
    Evidence.WithinLimits other = evidence(decider.decide(with(second, first), small));
    assertThat(one.slowdown()).isEqualTo(other.slowdown());
    SlowdownBasis basis = Objects.requireNonNull(one.basis());
    assertThat(basis.model()).isEqualTo("cold-start/summed-utilization");
  }

  /**
   * Two that are busy all the time: (1 + 1.86^7.8)^(1/7.8) = 1.862; the model of pairs says less.
   */
  @Test
  void copiesOfOneServerTakeTurns() {
    RunSettings served = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
    Prediction busy =
        new Prediction(A100.id(), 64, served, utilization(100), memory(4), "test", List.of())
            .withWork(WORK);
    SharingLimits limits =
        SharingLimits.DEFAULT
            .withSummedUtilization(SummedUtilization.ofPercent(300))
            .withSlowdown(Slowdown.ofRatio(3));
    PlacementRequest.Share copy =
        new PlacementRequest.Share("team-a/new", Map.of(A100.id(), busy), limits);

    assertThat(slowdown(new GraphRun(WORK, 64, served), copy)).isCloseTo(1.862, within(1e-3));
    assertThat(slowdown(new GraphRun(WORK, 65, served), copy)).as("another batch").isLessThan(1.7);
    assertThat(slowdown(new GraphRun(WORK, 64, RunSettings.DEFAULT), copy))
        .as("a training")
        .isLessThan(1.7);
  }

  private double slowdown(GraphRun other, PlacementRequest.Share newcomer) {
    Tenant tenant =
        new Tenant(
            "t/old",
            utilization(100),
            memory(4),
            Slowdown.ofRatio(3),
            Clusters.NOW.minus(Duration.ofHours(1)),
            other);
    return evidence(decider.decide(with(tenant), newcomer)).slowdown().ratio();
  }
}
