package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.forecast;
import static dev.cotenant.placement.Clusters.free;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.share;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.tenant;
import static dev.cotenant.placement.Decisions.codes;
import static dev.cotenant.placement.Decisions.evidence;
import static dev.cotenant.placement.Decisions.grantedTo;
import static dev.cotenant.placement.Decisions.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharingDeciderTest {
  private static final Duration OLD = Duration.ofHours(2);
  private static final Duration YOUNG = Duration.ofMinutes(1);

  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  @Test
  void admitsOnAFreeGpuWithAllNumbers() {
    Decision decision = decider.decide(cluster(free("GPU-a")), share(60, 10));

    Evidence.WithinLimits numbers = evidence(decision);
    assertThat(grantedTo(decision)).isEqualTo("GPU-a");
    assertThat(numbers.summedUtilization().percent()).isEqualTo(60);
    assertThat(numbers.memoryUsed()).isEqualTo(MemorySize.ZERO);
    assertThat(numbers.memoryNeeded()).isEqualTo(MemorySize.ofGiB(10));
    assertThat(numbers.memoryLimit()).isEqualTo(MemorySize.ofGiB(38)); // 40 less 5 %
    assertThat(numbers.slowdown()).isEqualTo(Slowdown.NONE);
    assertThat(numbers.tenants()).isEqualTo(1);
  }

  @Test
  void holdsWithEveryReasonThatAGpuGives() {
    // Three tenants of 30 % and 10 GiB each, 32 GiB in use: 60 % and 10 GiB more break all four
    // limits; the slowdown at a sum of 150 % is well above 1.15.
    ClusterSnapshot full =
        cluster(
            gpu(
                "GPU-a",
                shared(
                    tenant("t/1", 30, 10, OLD),
                    tenant("t/2", 30, 10, OLD),
                    tenant("t/3", 30, 10, OLD)),
                measured(32, 32)));

    Decision decision = decider.decide(full, share(60, 10));

    assertThat(reasons(decision))
        .extracting(Reason::code)
        .containsExactly(
            "TenantLimit", "UtilizationExceeded", "InterferenceExceeded", "MemoryForecastExceeded");
    assertThat(reasons(decision))
        .extracting(Reason::sentence)
        .contains(
            "GPU-a on node-1: predicted utilization would sum to 150.0 % (tenants 90.0 % + this"
                + " workload 60.0 %), limit 100.0 %",
            "GPU-a on node-1: memory would reach 42 GiB (forecast 32 GiB by agnostic + this"
                + " workload 10 GiB), limit 38 GiB");
  }

  @Test
  void packsTheFullestGpuThatStillFits() {
    ClusterSnapshot snapshot =
        cluster(
            free("GPU-free"),
            gpu("GPU-half", shared(tenant("t/1", 40, 8, OLD)), measured(8, 8)),
            gpu("GPU-busy", shared(tenant("t/2", 80, 8, OLD)), measured(8, 8)));

    assertThat(grantedTo(decider.decide(snapshot, share(30, 4)))).isEqualTo("GPU-half");
  }

  @Test
  void joinsNoTenantThatItMayNot() {
    ClusterSnapshot snapshot =
        cluster(
            free("GPU-free"), gpu("GPU-half", shared(tenant("t/1", 40, 8, OLD)), measured(8, 8)));
    SharingDecider apart = decider.where((_, tenant) -> !tenant.equals("t/1"));

    assertThat(grantedTo(apart.decide(snapshot, share(30, 4)))).isEqualTo("GPU-free");
    assertThat(grantedTo(apart.decide(snapshot, share(30, 4), _ -> true))).isEqualTo("GPU-free");
    assertThat(apart.decide(snapshot, share(30, 4), gpu -> gpu.uuid().equals("GPU-half")))
        .isNotInstanceOf(Decision.Admitted.class);
  }

  @Test
  void sharesUpToExactlyTheLimitAndNotBeyond() {
    ClusterSnapshot snapshot =
        cluster(gpu("GPU-a", shared(tenant("t/1", 40, 8, OLD)), measured(8, 8)));

    assertThat(decider.decide(snapshot, share(60, 30))).isInstanceOf(Decision.Admitted.class);
    assertThat(codes(decider.decide(snapshot, share(60.1, 30))))
        .containsExactly("UtilizationExceeded");
    assertThat(codes(decider.decide(snapshot, share(60, 31))))
        .containsExactly("MemoryForecastExceeded");
  }

  @Test
  void fallsBackFromGrantsToTheForecastWhenTenantsUseLessThanTheyWereGranted() {
    // Granted 30 GiB, but the series stays at 9 and its window once saw 12: agnostic leaves
    // 38 - 30 = 8 GiB, the forecast of 10 GiB leaves 28 GiB.
    ClusterSnapshot snapshot =
        cluster(
            gpu("GPU-a", shared(tenant("t/1", 20, 30, OLD)), measured(9, 12, forecast("cbp", 10))));

    Evidence.WithinLimits numbers = evidence(decider.decide(snapshot, share(20, 20)));

    assertThat(numbers.estimator()).isEqualTo("cbp");
    assertThat(numbers.memoryUsed()).isEqualTo(MemorySize.ofGiB(10));
  }

  @Test
  void addsAYoungTenantThatTheSeriesDoesNotShowYet() {
    // In use 2 GiB, forecast 2 GiB, but a tenant of 30 GiB came a minute ago: 32 + 8 > 38.
    ClusterSnapshot snapshot =
        cluster(
            gpu(
                "GPU-a",
                shared(tenant("t/young", 20, 30, YOUNG)),
                measured(2, 2, forecast("cbp", 2))));

    List<Reason> reasons = reasons(decider.decide(snapshot, share(20, 8)));

    assertThat(reasons).hasSize(1);
    assertThat(reasons.getFirst())
        .asInstanceOf(type(Reason.MemoryForecastExceeded.class))
        .extracting(
            Reason.MemoryForecastExceeded::forecastUsed, Reason.MemoryForecastExceeded::newTenants)
        .containsExactly(MemorySize.ofGiB(32), MemorySize.ofGiB(30));
    assertThat(reasons.getFirst().sentence())
        .endsWith(
            "memory would reach 40 GiB (forecast 2 GiB by agnostic + new tenants 30 GiB + this"
                + " workload 8 GiB), limit 38 GiB");
  }

  @Test
  void countsMemoryThatNobodyWasGranted() {
    ClusterSnapshot snapshot = cluster(gpu("GPU-a", shared(), measured(35, 35)));

    assertThat(codes(decider.decide(snapshot, share(20, 8))))
        .containsExactly("MemoryForecastExceeded");
  }

  @Test
  void neverTakesAForecastBelowWhatIsInUseNow() {
    ClusterSnapshot snapshot =
        cluster(
            gpu("GPU-a", shared(tenant("t/1", 20, 5, OLD)), measured(33, 33, forecast("pp", 1))));

    assertThat(decider.decide(snapshot, share(20, 8))).isInstanceOf(Decision.Held.class);
  }

  @Test
  void keepsTheLimitOfATenant() {
    SharingLimits generous = SharingLimits.DEFAULT.withSlowdown(Slowdown.ofRatio(2));
    ClusterSnapshot snapshot =
        cluster(
            gpu(
                "GPU-a",
                shared(
                    new dev.cotenant.domain.cluster.Tenant(
                        "t/fragile",
                        Clusters.utilization(40),
                        Clusters.memory(4),
                        Slowdown.ofRatio(1.05),
                        Clusters.NOW.minus(OLD))),
                measured(4, 4)));

    // 40 + 50 = 90 %: slowdown 1.11 is above the 1.05 of the tenant.
    assertThat(codes(decider.decide(snapshot, share(50, 4, generous))))
        .containsExactly("InterferenceExceeded");
  }

  @Test
  void doesNotDecideOnMissingOrOldMetrics() {
    assertThat(
            codes(
                decider.decide(
                    cluster(gpu("GPU-a", shared(), new MemoryObservation.Unmeasured())),
                    share(10, 1))))
        .containsExactly("NoMetrics");
    assertThat(
            codes(
                decider.decide(
                    cluster(
                        gpu(
                            "GPU-a",
                            shared(),
                            new MemoryObservation.Stale(
                                Duration.ofMinutes(9), Duration.ofMinutes(2)))),
                    share(10, 1))))
        .containsExactly("MetricsStale");
  }

  @Test
  void leavesMigAndExclusiveGpusAlone() {
    ClusterSnapshot snapshot =
        cluster(
            gpu("GPU-mig", new Tenancy.Mig(), measured(0, 0)),
            gpu("GPU-whole", new Tenancy.Exclusive("team-b/big"), measured(0, 0)));

    assertThat(codes(decider.decide(snapshot, share(10, 1))))
        .containsExactly("MigNotShareable", "ExclusiveRequested");
  }

  @Test
  void saysOfEveryGpuThatItIsTooSmallWhateverElseKeepsItFromBeingShared() {
    ClusterSnapshot snapshot =
        cluster(
            gpu("GPU-old", shared(), new MemoryObservation.Stale(OLD, YOUNG)),
            gpu("GPU-unmeasured", shared(), new MemoryObservation.Unmeasured()),
            gpu("GPU-whole", new Tenancy.Exclusive("team-b/big"), measured(0, 0)));

    Decision decision = decider.decide(snapshot, share(10, 60));

    assertThat(decision).isInstanceOf(Decision.Denied.class);
    assertThat(codes(decision))
        .containsExactly(
            "MetricsStale",
            "MemoryForecastExceeded",
            "NoMetrics",
            "MemoryForecastExceeded",
            "ExclusiveRequested",
            "MemoryForecastExceeded");
  }

  @Test
  void deniesWhatCanNeverFit() {
    assertThat(decider.decide(cluster(free("GPU-a")), share(50, 39)))
        .isInstanceOf(Decision.Denied.class);
    assertThat(
            decider.decide(cluster(gpu("GPU-a", new Tenancy.Mig(), measured(0, 0))), share(1, 1)))
        .isInstanceOf(Decision.Denied.class);
  }

  @Test
  void deniesWhenNoGpuHasAPrediction() {
    PlacementRequest.Share nowhere =
        new PlacementRequest.Share("team-a/new", Map.of(), SharingLimits.DEFAULT);

    assertThat(codes(decider.decide(cluster(free("GPU-a")), nowhere)))
        .containsExactly("NoCandidateGpu");
    assertThat(codes(decider.decide(cluster(), share(1, 1)))).containsExactly("NoCandidateGpu");
  }

  @Test
  void givesAnUnknownModelAWholeFreeGpu() {
    PlacementRequest.Whole unknown =
        new PlacementRequest.Whole(
            "team-a/x", 1, new PlacementRequest.ExclusiveCause.ModelUnknown("mystery"), Map.of());
    ClusterSnapshot snapshot =
        cluster(gpu("GPU-a", shared(tenant("t/1", 10, 1, OLD)), measured(1, 1)), free("GPU-b"));

    assertThat(grantedTo(decider.decide(snapshot, unknown))).isEqualTo("GPU-b");
    assertThat(
            codes(
                decider.decide(
                    cluster(gpu("GPU-a", shared(tenant("t/1", 10, 1, OLD)), measured(1, 1))),
                    unknown)))
        .containsExactly("ModelUnknown", "ExclusiveRequested");
  }

  @Test
  void givesSeveralGpusOnlyOnOneNode() {
    PlacementRequest.Whole four =
        new PlacementRequest.Whole(
            "team-a/x", 4, new PlacementRequest.ExclusiveCause.SeveralGpus(), Map.of());
    ClusterSnapshot three = cluster(free("GPU-a"), free("GPU-b"), free("GPU-c"));

    assertThat(codes(decider.decide(three, four))).containsExactly("NoCandidateGpu");
    Decision onFour =
        decider.decide(cluster(free("GPU-a"), free("GPU-b"), free("GPU-c"), free("GPU-d")), four);
    assertThat(((Decision.Admitted) onFour).grants()).hasSize(4);
  }

  @Test
  void doesNotCallAGpuFreeThatSomebodyUnknownUses() {
    PlacementRequest.Whole one =
        new PlacementRequest.Whole(
            "team-a/x", 1, new PlacementRequest.ExclusiveCause.ModelUnknown(null), Map.of());

    assertThat(codes(decider.decide(cluster(gpu("GPU-a", shared(), measured(7, 7))), one)))
        .containsExactly("ModelUnknown", "ExclusiveRequested");
    assertThat(A100.id().value()).isEqualTo("a100-40gb");
  }

  /**
   * 30 % more on an A100 that is 30 % busy, or on a T4 that is 50 % busy, the better fit: 80 % pass
   * the T4's limit. Where the A100's is 40 %, each is refused by its own.
   */
  @Test
  void holdsEachProductAgainstItsOwnLimits() {
    Device t4 = DeviceCatalogue.builtIn().require("t4");
    GpuSnapshot a100 = gpu("GPU-a", shared(tenant("t/1", 30, 4, OLD)), measured(4, 4));
    GpuSnapshot small =
        new GpuSnapshot(
            "GPU-t",
            "node-0",
            t4,
            MemorySize.ofGiB(16),
            shared(tenant("t/2", 50, 4, OLD)),
            measured(4, 4));
    Map<DeviceId, Prediction> predictions =
        Map.of(
            A100.id(),
            Clusters.prediction(30, 4),
            t4.id(),
            Clusters.prediction(t4, Clusters.utilization(30), Clusters.memory(4)));

    assertThat(
            grantedTo(
                decider.decide(
                    cluster(a100, small),
                    new PlacementRequest.Share(
                        "team-a/new",
                        predictions,
                        new DeviceLimits(upTo(90), Map.of(t4.id(), upTo(40))),
                        TrustDomain.CLUSTER))))
        .isEqualTo("GPU-a");
    Decision refused =
        decider.decide(
            cluster(a100, small),
            new PlacementRequest.Share(
                "team-a/new",
                predictions,
                new DeviceLimits(upTo(40), Map.of(t4.id(), upTo(20))),
                TrustDomain.CLUSTER));
    assertThat(Decisions.lines(refused))
        .containsExactly(
            "UtilizationExceeded: GPU-t on node-0: predicted utilization would sum to 80.0 %"
                + " (tenants 50.0 % + this workload 30.0 %), limit 20.0 %",
            "UtilizationExceeded: GPU-a on node-1: predicted utilization would sum to 60.0 %"
                + " (tenants 30.0 % + this workload 30.0 %), limit 40.0 %");
  }

  private static SharingLimits upTo(double percent) {
    return SharingLimits.DEFAULT
        .withSummedUtilization(SummedUtilization.ofPercent(percent))
        .withSlowdown(Slowdown.ofRatio(3));
  }
}
