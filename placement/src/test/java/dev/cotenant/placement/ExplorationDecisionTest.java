package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.free;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.memory;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.utilization;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.RiskLimit.Exploration;
import dev.cotenant.domain.decision.RiskLimit.Rule;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shares beyond a budget that are tried, so that it is learned how pairs get on. */
class ExplorationDecisionTest {
  private static final GraphRun OWN = run(1);
  private static final GraphRun OTHER = run(4);
  private static final double UPPER = 25;

  /** Nothing is within it; every pair is within what is taken in a trial. */
  private static final RiskLimit TRIED = budget(1, 0.5);

  private final RiskModel model = new RiskModel(RiskPrior.STATED);
  private final SharingDecider decider =
      new SharingDecider(FallbackInterferenceModel.builtIn(), _ -> model);

  private static GraphRun run(int kind) {
    return new GraphRun(new GraphWork(kind * 1e9, 1e8, 1e8, 50), 64, RunSettings.DEFAULT);
  }

  private static RiskLimit budget(double share, double mostRisk) {
    return new RiskLimit(0.02, Rule.ALWAYS).withExploration(new Exploration(share, mostRisk));
  }

  private static Tenant tenant(String name, double slowdown, RiskLimit risk) {
    return new Tenant(
        name,
        utilization(UPPER),
        memory(4),
        Slowdown.ofRatio(slowdown),
        risk,
        Clusters.NOW.minus(Duration.ofHours(1)),
        OTHER);
  }

  private static ClusterSnapshot with(Tenant... tenants) {
    return cluster(gpu("GPU-a", shared(tenants), measured(4, 4)), free("GPU-free"));
  }

  private static PlacementRequest newcomer(double slowdown, RiskLimit risk) {
    return new PlacementRequest.Share(
        "team-a/new",
        Map.of(A100.id(), prediction(UPPER, 4).withWork(OWN.work())),
        SharingLimits.DEFAULT.withSlowdown(Slowdown.ofRatio(slowdown)).withRisk(risk));
  }

  private Evidence.WithinLimits decided(ClusterSnapshot snapshot, PlacementRequest request) {
    return (Evidence.WithinLimits)
        ((Decision.Admitted) decider.decide(snapshot, request)).evidence();
  }

  @Test
  void triesBeforeAFreeGpuIsTaken() {
    Evidence.WithinLimits trial =
        decided(with(tenant("team-a/one", 1.15, TRIED)), newcomer(1.15, TRIED));

    assertThat(trial.isTrial()).isTrue();
    assertThat(trial.tenants()).isEqualTo(2);
    assertThat(Objects.requireNonNull(trial.risk()).isExceeded()).isTrue();
    assertThat(trial.limits().risk()).isEqualTo(TRIED.exploring());
    assertThat(trial.sentence()).contains("a trial, risk").contains("budget 2.0 %");
  }

  /** A pod takes the place of its reservation, or of those that it evicts: they are no others. */
  @Test
  void countsTheClusterWithTheGpusAsTheyWouldBe() {
    RiskLimit aThird = budget(0.34, 0.5);
    ClusterSnapshot reserved =
        cluster(
            gpu("GPU-a", shared(tenant("team-a/one", 1.15, TRIED)), measured(4, 4)),
            gpu("GPU-b", shared(tenant("team-a/reserved", 1.15, TRIED)), measured(4, 4)));
    PlacementRequest newcomer = newcomer(1.15, aThird);
    ClusterSnapshot there = reserved.part(reserved.gpus());
    ClusterSnapshot gone =
        reserved.hypotheticalPart(List.of(reserved.gpus().getFirst(), free("GPU-b")));

    assertThat(decided(there, newcomer).isTrial()).as("one of three").isTrue();
    assertThat(decided(gone, newcomer).isTrial()).as("one of two").isFalse();
  }

  @Test
  void triesNothingWithoutTheConsentOfEveryTenant() {
    Tenant willing = tenant("team-a/one", 1.15, TRIED);
    RiskLimit unwilling = TRIED.stated(0.02);
    Tenant other = tenant("team-a/two", 1.15, unwilling);

    assertThat(decided(with(willing, other), newcomer(1.15, TRIED)).tenants()).isEqualTo(1);
    assertThat(decided(with(willing), newcomer(1.15, unwilling)).tenants()).isEqualTo(1);
    assertThat(decided(with(willing), newcomer(1.15, budget(0, 0.5))).tenants()).isEqualTo(1);
  }

  /** Not even where its own risk is within what it would take. */
  @Test
  void triesNothingOnATenantThatTakesNoSlowdown() {
    RiskLimit all = new RiskLimit(0.02, Rule.LEARNED).withExploration(new Exploration(1, 1));
    Tenant strict = tenant("team-a/strict", 1, all);
    RiskLimit mine = budget(1, 1);
    PlacementRequest alone = newcomer(1.15, mine);

    assertThat(decider.decide(with(strict), alone))
        .isEqualTo(
            new ExhaustiveDecider(FallbackInterferenceModel.builtIn(), _ -> model)
                .decide(with(strict), alone));
    assertThat(decided(with(strict), alone).tenants()).isEqualTo(1);
    assertThat(decided(with(tenant("team-a/one", 1.15, mine)), newcomer(1, mine)).tenants())
        .isEqualTo(1);
  }

  @Test
  void holdsTheSecondLimit() {
    Tenant one = tenant("team-a/one", 1.15, TRIED);
    double risk =
        Objects.requireNonNull(decided(with(one), newcomer(1.15, TRIED)).risk()).probability();

    assertThat(decided(with(one), newcomer(1.15, budget(1, risk + 1e-3))).tenants()).isEqualTo(2);
    assertThat(decided(with(one), newcomer(1.15, budget(1, risk - 1e-3))).tenants()).isEqualTo(1);
    Tenant careful = tenant("team-a/one", 1.15, budget(1, risk - 1e-3));
    assertThat(decided(with(careful), newcomer(1.15, TRIED)).tenants()).isEqualTo(1);
  }

  /** What was tried is known; it is within the budget or not. */
  @Test
  void triesNoPairAgain() {
    SharedJob own = GraphJob.of(OWN, A100, utilization(UPPER).mean().percent());
    SharedJob other = GraphJob.of(OTHER, A100, utilization(UPPER).mean().percent());
    String device = A100.id().value();
    model.learn(
        new SpeedMeasurement(new VictimColocation(device, own, List.of(other)), 0.75, 0.03));
    model.learn(
        new SpeedMeasurement(new VictimColocation(device, other, List.of(own)), 0.75, 0.03));

    Tenant one = tenant("team-a/one", 1.15, budget(1, 1));
    assertThat(decided(with(one), newcomer(1.15, budget(1, 1))).tenants()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.25, 0.5})
  void triesNoMoreThanTheShareOfTheNamespacesTenants(double share) {
    RiskLimit risk = budget(share, 0.5);
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      gpus.add(free("GPU-" + i));
    }
    ClusterSnapshot snapshot = cluster(gpus.toArray(GpuSnapshot[]::new));
    int trials = 0;
    for (int placed = 1; placed <= 30; placed++) {
      Decision.Admitted admitted =
          (Decision.Admitted) decider.decide(snapshot, newcomer(1.15, risk));
      Evidence.WithinLimits within = (Evidence.WithinLimits) admitted.evidence();
      trials += within.isTrial() ? 1 : 0;
      assertThat(trials).isLessThanOrEqualTo((int) (share * placed));
      snapshot =
          granted(snapshot, admitted, tenant("team-a/" + placed, 1.15, within.limits().risk()));
    }
    assertThat(trials).isGreaterThanOrEqualTo((int) (share * 30) - 1);
  }

  private static ClusterSnapshot granted(
      ClusterSnapshot snapshot, Decision.Admitted admitted, Tenant tenant) {
    GpuSnapshot gpu = snapshot.find(admitted.grants().getFirst().gpuUuid()).orElseThrow();
    List<Tenant> tenants = new ArrayList<>(((Tenancy.Shared) gpu.tenancy()).tenants());
    tenants.add(tenant);
    return snapshot.with(List.of(gpu.withTenancy(new Tenancy.Shared(tenants))));
  }

  /** Of other namespaces' tenants none counts. */
  @Test
  void countsTheNamespaceAlone() {
    RiskLimit half = budget(0.5, 0.5);
    Tenant own = tenant("team-a/one", 1.15, half);
    GpuSnapshot others =
        gpu(
            "GPU-b",
            shared(
                tenant("team-b/one", 1.15, half.exploring()),
                tenant("team-b/two", 1.15, half.exploring())),
            measured(4, 4));
    ClusterSnapshot snapshot =
        cluster(gpu("GPU-a", shared(own), measured(4, 4)), others, free("GPU-free"));

    assertThat(decided(snapshot, newcomer(1.15, half)).isTrial()).isTrue();
    ClusterSnapshot tried =
        cluster(
            gpu("GPU-a", shared(tenant("team-a/one", 1.15, half.exploring())), measured(4, 4)),
            others,
            free("GPU-free"));
    assertThat(decided(tried, newcomer(1.15, half)).tenants()).isEqualTo(1);
  }

  @Test
  void aRefusalStatesTheBudgetAndNotTheTrial() {
    ClusterSnapshot full =
        cluster(gpu("GPU-a", shared(tenant("team-a/one", 1.15, TRIED)), measured(4, 4)));
    Decision held = decider.decide(full, newcomer(1.15, budget(1, 0.021)));

    assertThat(held.reasons()).hasSize(1);
    Reason.RiskExceeded reason = (Reason.RiskExceeded) held.reasons().getFirst();
    assertThat(reason.risk().budget()).isEqualTo(0.02);
  }

  @Test
  void budgetsAreBetweenNothingAndAll() {
    for (double wrong : new double[] {-0.1, 1.1, Double.NaN}) {
      assertThat(catchThrowable(() -> new Exploration(wrong, 0.5)))
          .hasMessage("share of trials must be in [0, 1], is " + wrong);
      assertThat(catchThrowable(() -> new Exploration(0.5, wrong)))
          .hasMessage("risk in trials must be in [0, 1], is " + wrong);
    }
    assertThat(TRIED.stated(0.5).exploration().areAllowed()).isFalse();
  }
}
