package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.memory;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.utilization;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.RiskLimit.Rule;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Decisions by risks that were learned from measured pairs. */
class RiskDecisionTest {
  private static final RiskLimit LEARNED = RiskLimit.DEFAULT;
  private static final GraphRun OWN = run(1);
  private static final GraphRun QUIET = run(2);
  private static final GraphRun LOUD = run(3);
  private static final GraphRun NEVER_SEEN = run(4);
  private static final double UPPER = 25;

  private final RiskModel model = new RiskModel(RiskPrior.STATED);

  private static GraphRun run(int kind) {
    return new GraphRun(new GraphWork(kind * 1e9, 1e8, 1e8, 50), 64, RunSettings.DEFAULT);
  }

  private static SharedJob job(GraphRun run) {
    return GraphJob.of(run, A100, utilization(UPPER).mean().percent());
  }

  /** Measured often, so that little doubt remains. */
  private void learn(double speed, GraphRun victim, GraphRun... aggressors) {
    for (int i = 0; i < 8; i++) {
      VictimColocation colocation =
          new VictimColocation(
              A100.id().value(),
              job(victim),
              List.of(aggressors).stream().map(RiskDecisionTest::job).toList());
      model.learn(new SpeedMeasurement(colocation, speed, 0.03));
    }
  }

  private void learnPairs() {
    learn(1, OWN, QUIET);
    learn(1, QUIET, OWN);
    learn(0.75, OWN, LOUD);
    learn(1, LOUD, OWN);
  }

  private SharingDecider decider() {
    return new SharingDecider(
        FallbackInterferenceModel.builtIn(),
        namespace -> namespace.equals("team-a") ? model : RiskModels.UNTRAINED.of(namespace));
  }

  private static Tenant tenant(String name, GraphRun run, RiskLimit risk) {
    return new Tenant(
        name,
        utilization(UPPER),
        memory(4),
        Slowdown.ofRatio(1.15),
        risk,
        Clusters.NOW.minus(Duration.ofHours(1)),
        run);
  }

  private static ClusterSnapshot with(Tenant... tenants) {
    return cluster(gpu("GPU-a", shared(tenants), measured(4, 4)));
  }

  private static PlacementRequest newcomer(String name, RiskLimit risk) {
    return new PlacementRequest.Share(
        name,
        Map.of(A100.id(), prediction(UPPER, 4).withWork(OWN.work())),
        SharingLimits.DEFAULT.withRisk(risk));
  }

  private Decision decide(RiskLimit risk, Tenant... tenants) {
    return decider().decide(with(tenants), newcomer("team-a/new", risk));
  }

  private static SlowdownRisk refused(Decision decision) {
    assertThat(decision.reasons()).hasSize(1);
    return ((Reason.RiskExceeded) decision.reasons().getFirst()).risk();
  }

  private static SlowdownRisk admitted(Decision decision) {
    return Objects.requireNonNull(within(decision).risk());
  }

  private static Evidence.WithinLimits within(Decision decision) {
    return (Evidence.WithinLimits) ((Decision.Admitted) decision).evidence();
  }

  @Test
  void saysWhereTheSpeedsOfAWorkloadComeFrom() {
    learnPairs();
    RiskModels sourced =
        new RiskModels() {
          @Override
          public RiskModel of(String namespace) {
            return model;
          }

          @Override
          public String source(String namespace, String device, SharedJob victim) {
            return victim.equals(job(OWN)) ? "durations of runs" : "";
          }
        };

    SlowdownRisk risk =
        refused(
            new SharingDecider(FallbackInterferenceModel.builtIn(), sourced)
                .decide(
                    with(tenant("team-a/loud", LOUD, LEARNED)), newcomer("team-a/new", LEARNED)));

    assertThat(risk.sentence()).endsWith(", speeds by durations of runs");
  }

  @Test
  void refusesAPairThatDidNotGetOn() {
    learnPairs();
    SlowdownRisk risk = refused(decide(LEARNED, tenant("team-a/loud", LOUD, LEARNED)));

    assertThat(risk.workload()).isEqualTo("team-a/new");
    assertThat(risk.probability()).isGreaterThan(0.9);
    assertThat(risk.budget()).isEqualTo(0.1);
    assertThat(risk.limit().ratio()).isEqualTo(1.15);
    assertThat(risk.sentence())
        .contains("that team-a/new is slowed beyond 1.15x, budget 10.0 %")
        .contains("largest contribution: ");
  }

  @Test
  void admitsAPairThatGotOnAndShowsItsRisk() {
    learnPairs();
    SlowdownRisk risk = admitted(decide(LEARNED, tenant("team-a/quiet", QUIET, LEARNED)));

    assertThat(risk.probability()).isLessThan(0.1);
  }

  /** The newcomer slows the tenant, and takes no risk itself. */
  @Test
  void protectsATenantByItsOwnBudget() {
    learn(1, OWN, QUIET);
    learn(0.75, QUIET, OWN);
    SlowdownRisk risk = refused(decide(LEARNED, tenant("team-a/quiet", QUIET, LEARNED)));

    assertThat(risk.workload()).isEqualTo("team-a/quiet");
    assertThat(within(decide(LEARNED, tenant("team-a/quiet", QUIET, RiskLimit.NONE))).tenants())
        .isEqualTo(2);
  }

  @Test
  void anUntrainedModelDecidesNothing() {
    Tenant loud = tenant("team-a/loud", LOUD, LEARNED);

    assertThat(within(decide(LEARNED, loud)).risk()).isNull();
  }

  /** Of workloads that were never measured beside others the sum of utilizations decides. */
  @Test
  void bindsAmongMeasuredWorkloadsAlone() {
    learnPairs();

    assertThat(within(decide(LEARNED, tenant("team-a/other", NEVER_SEEN, LEARNED))).risk())
        .isNull();
    assertThat(within(decide(RiskLimit.NONE, tenant("team-a/loud", LOUD, LEARNED))).tenants())
        .isEqualTo(2);
  }

  @Test
  void aStatedBudgetBindsAlways() {
    SlowdownRisk risk =
        refused(decide(LEARNED.stated(0.05), tenant("team-a/other", NEVER_SEEN, LEARNED)));

    assertThat(risk.probability()).isBetween(0.05, 0.5);
    assertThat(risk.budget()).isEqualTo(0.05);
  }

  @Test
  void measurementsOfOneNamespaceMoveNoRiskOfAnother() {
    learnPairs();
    Tenant loud = tenant("team-b/loud", LOUD, LEARNED);
    Decision decision = decider().decide(with(loud), newcomer("team-b/new", LEARNED));

    assertThat(within(decision).risk()).isNull();
  }

  /** Each neighbour alone is within the budget, both together are not. */
  @Test
  void countsWhatSeveralNeighboursDoTogether() {
    for (int i = 0; i < 6; i++) {
      learn(0.915, OWN, run(10 + i));
      learn(1, run(10 + i), OWN);
    }
    Tenant one = tenant("team-a/one", run(10), RiskLimit.NONE);
    Tenant two = tenant("team-a/two", run(11), RiskLimit.NONE);

    assertThat(admitted(decide(LEARNED, one)).probability()).isLessThan(0.1);
    assertThat(admitted(decide(LEARNED, two)).probability()).isLessThan(0.1);
    assertThat(refused(decide(LEARNED, one, two)).probability()).isGreaterThan(0.1);
  }

  /** Results of an index hold for the models that they were made with. */
  @Test
  void aSnapshotThatWasDecidedOnKnowsWhatIsLearnedLater() {
    AtomicReference<RiskModel> current = new AtomicReference<>(model);
    RiskModels changing =
        new RiskModels() {
          @Override
          public RiskModel of(String namespace) {
            return Objects.requireNonNull(current.get());
          }

          @Override
          public Object state() {
            return Objects.requireNonNull(current.get());
          }
        };
    SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn(), changing);
    ClusterSnapshot snapshot = with(tenant("team-a/loud", LOUD, RiskLimit.NONE));
    PlacementRequest request = newcomer("team-a/new", LEARNED);
    RiskModel slow = new RiskModel(RiskPrior.STATED);
    for (int i = 0; i < 8; i++) {
      VictimColocation pair = new VictimColocation(A100.id().value(), job(OWN), List.of(job(LOUD)));
      slow.learn(new SpeedMeasurement(pair, 0.7, 0.03));
      model.learn(new SpeedMeasurement(pair, 1, 0.03));
    }

    assertThat(admitted(decider.decide(snapshot, request)).isExceeded()).isFalse();
    current.set(slow);
    assertThat(refused(decider.decide(snapshot, request)).isExceeded()).isTrue();
    current.set(model);
    assertThat(admitted(decider.decide(snapshot, request)).isExceeded()).isFalse();
  }

  @Test
  void aGpuWithoutNeighboursHasNoRisk() {
    learnPairs();

    assertThat(within(decide(new RiskLimit(0, Rule.ALWAYS))).risk()).isNull();
  }
}
