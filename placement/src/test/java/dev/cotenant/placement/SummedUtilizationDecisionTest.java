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
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Decisions about GPUs shared in time. */
class SummedUtilizationDecisionTest {
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
  void restsOnSummedUtilizationWhateverIsKnownOfGraphs() {
    for (GraphRun known : Arrays.asList(run(32), null)) {
      Evidence.WithinLimits numbers =
          evidence(decider.decide(with(tenant("t/old", known)), newcomer(1.15)));
      assertThat(numbers.basis()).isNull();
      // 40 + 50 = 90 %: speed 1 - 0.49 * 0.45^2.
      assertThat(numbers.slowdown().ratio()).isCloseTo(1 / (1 - 0.49 * 0.2025), within(1e-9));
      assertThat(numbers.sentence()).doesNotContain("in 90 % of cases");
    }
  }

  @Test
  void refusesWithTheSameNumbers() {
    List<Reason> reasons = reasons(decider.decide(with(tenant("t/old", run(32))), newcomer(1.1)));
    assertThat(reasons).hasSize(1);
    assertThat(reasons.getFirst()).isInstanceOf(Reason.InterferenceExceeded.class);
    assertThat(reasons.getFirst().sentence())
        .startsWith("GPU-a on ")
        .contains("predicted slowdown 1.11x")
        .endsWith("at a summed utilization of 90.0 %, limit 1.10x");
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
  }

  private static final RunSettings SERVED = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private static PlacementRequest.Share server(int utilizationPercent) {
    Prediction alone =
        new Prediction(
                A100.id(),
                64,
                SERVED,
                utilization(utilizationPercent),
                memory(4),
                "test",
                List.of())
            .withWork(WORK);
    SharingLimits limits =
        SharingLimits.DEFAULT
            .withSummedUtilization(SummedUtilization.ofPercent(300))
            .withSlowdown(Slowdown.ofRatio(3));
    return new PlacementRequest.Share("team-a/new", Map.of(A100.id(), alone), limits);
  }

  private static Tenant busy(String name, int utilizationPercent, GraphRun run) {
    return new Tenant(
        name,
        utilization(utilizationPercent),
        memory(4),
        Slowdown.ofRatio(3),
        Clusters.NOW.minus(Duration.ofHours(1)),
        run);
  }

  private double slowdownBeside(GraphRun other) {
    return evidence(decider.decide(with(busy("t/old", 80, other)), server(80))).slowdown().ratio();
  }

  /** Busy for 80 % each: (1 + 1.488^7.8)^(1/7.8) = 1.496, and 1.457 by the curve. */
  @Test
  void copiesOfOneServerTakeTurns() {
    assertThat(slowdownBeside(new GraphRun(WORK, 64, SERVED))).isCloseTo(1.496, within(1e-3));
    assertThat(slowdownBeside(new GraphRun(WORK, 65, SERVED)))
        .as("another batch")
        .isCloseTo(1.457, within(1e-3));
    assertThat(slowdownBeside(new GraphRun(WORK, 64, RunSettings.DEFAULT)))
        .as("a training")
        .isCloseTo(1.457, within(1e-3));
  }

  @Test
  void copiesOfOneServerAreSoWhateverTheirLoad() {
    for (Load.RequestRate.Source source : Load.RequestRate.Source.values()) {
      RunSettings atRate = SERVED.withLoad(new Load.RequestRate(12, source));
      assertThat(slowdownBeside(new GraphRun(WORK, 64, atRate))).isCloseTo(1.496, within(1e-3));
    }
  }

  /** The curve alone says 3.84. */
  @Test
  void copiesOfOneServerAreNeverSlowerThanOneAfterTheOther() {
    GraphRun copy = new GraphRun(WORK, 64, SERVED);
    assertThat(
            evidence(
                    decider.decide(
                        with(busy("t/a", 100, copy), busy("t/b", 100, copy)), server(100)))
                .slowdown()
                .ratio())
        .isEqualTo(3);
  }
}
