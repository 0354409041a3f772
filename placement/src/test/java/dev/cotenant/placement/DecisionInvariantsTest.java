package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.NOW;
import static dev.cotenant.placement.Clusters.forecast;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.share;
import static dev.cotenant.placement.Clusters.tenant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Random clusters: what a decision says must be true, whatever the order of the GPUs. */
class DecisionInvariantsTest {
  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  @RepeatedTest(300)
  void admitsOnlyWithinLimitsAndGivesOnlyTrueReasons(RepetitionInfo info) {
    Random random = new Random(info.getCurrentRepetition());
    ClusterSnapshot snapshot = randomCluster(random);
    PlacementRequest.Share request =
        trusting(share(random.nextInt(1, 100), random.nextInt(1, 42)), random);

    switch (decider.decide(snapshot, request)) {
      case Decision.Admitted admitted -> verifyAdmission(snapshot, request, admitted);
      case Decision.Held(List<Reason> reasons) ->
          reasons.forEach(r -> verify(r, snapshot, request));
      case Decision.Denied(List<Reason> reasons) -> {
        reasons.forEach(r -> verify(r, snapshot, request));
        assertThat(decider.decide(emptied(snapshot), request))
            .as("denied means: not even when every GPU were free")
            .isInstanceOf(Decision.Denied.class);
      }
    }
  }

  @RepeatedTest(100)
  void doesNotDependOnTheOrderOfTheGpus(RepetitionInfo info) {
    Random random = new Random(1_000 + info.getCurrentRepetition());
    ClusterSnapshot snapshot = randomCluster(random);
    PlacementRequest.Share request = share(random.nextInt(1, 100), random.nextInt(1, 42));
    List<GpuSnapshot> shuffled = new ArrayList<>(snapshot.gpus());
    Collections.shuffle(shuffled, random);

    assertThat(decider.decide(new ClusterSnapshot(NOW, shuffled), request))
        .isEqualTo(decider.decide(snapshot, request));
  }

  private static void verifyAdmission(
      ClusterSnapshot snapshot, PlacementRequest.Share request, Decision.Admitted admitted) {
    GpuSnapshot gpu = find(snapshot, admitted.grants().getFirst().gpuUuid());
    List<Tenant> tenants = ((Tenancy.Shared) gpu.tenancy()).tenants();
    MemoryObservation.Measured measured = (MemoryObservation.Measured) gpu.memory();
    Prediction prediction = Objects.requireNonNull(request.predictions().get(A100.id()));
    Evidence.WithinLimits numbers = (Evidence.WithinLimits) admitted.evidence();

    double sum = tenants.stream().mapToDouble(t -> t.utilization().upper().percent()).sum();
    assertThat(sum + prediction.utilization().upper().percent()).isLessThanOrEqualTo(100);
    assertThat(tenants.size()).isLessThan(3);
    assertThat(tenants).allMatch(tenant -> request.trust().includes(tenant.namespace()));
    MemorySize least = measured.lastUsed().plus(prediction.peakMemory().upper());
    assertThat(least).isLessThanOrEqualTo(MemorySize.ofGiB(38));
    assertThat(numbers.memoryUsed().plus(numbers.memoryNeeded()))
        .isLessThanOrEqualTo(numbers.memoryLimit());
    assertThat(numbers.slowdown().ratio()).isLessThanOrEqualTo(1.15);
    assertThat(numbers.risk() == null || !numbers.risk().isExceeded()).isTrue();
  }

  private static void verify(
      Reason reason, ClusterSnapshot snapshot, PlacementRequest.Share request) {
    switch (reason) {
      case Reason.UtilizationExceeded r ->
          assertThat(r.tenants().plus(r.unattributedUsage()).plus(r.workloadUpper()).percent())
              .isGreaterThan(r.limit().percent());
      case Reason.MemoryForecastExceeded r ->
          assertThat(r.forecastUsed().plus(r.workloadUpper())).isGreaterThan(r.limit());
      case Reason.InterferenceExceeded r ->
          assertThat(r.predicted().ratio()).isGreaterThan(r.limit().ratio());
      case Reason.RiskExceeded r ->
          assertThat(r.risk().probability()).isGreaterThan(r.risk().budget());
      case Reason.TrustDomainMismatch r ->
          assertThat(((Tenancy.Shared) find(snapshot, r.gpuUuid()).tenancy()).tenants())
              .anyMatch(tenant -> !request.trust().includes(tenant.namespace()));
      case Reason.TenantLimit r -> assertThat(r.tenants()).isGreaterThanOrEqualTo(r.limit());
      case Reason.ExclusiveRequested r ->
          assertThat(find(snapshot, r.gpuUuid()).tenancy()).isInstanceOf(Tenancy.Exclusive.class);
      case Reason.MigNotShareable r ->
          assertThat(find(snapshot, r.gpuUuid()).tenancy()).isInstanceOf(Tenancy.Mig.class);
      case Reason.MetricsStale r -> assertThat(r.age()).isGreaterThan(r.limit());
      case Reason.NoMetrics r ->
          assertThat(find(snapshot, r.gpuUuid()).memory())
              .isInstanceOf(MemoryObservation.Unmeasured.class);
      case Reason.PredictedMemoryExceeded r ->
          assertThat(r.predictedMean()).isGreaterThan(find(snapshot, r.gpuUuid()).capacity());
      case Reason.NoCandidateGpu _ -> assertThat(snapshot.gpus()).isEmpty();
      case Reason.SharesExceeded r ->
          assertThat(r.tenantsPercent() + r.workload().percent()).isGreaterThan(r.limitPercent());
      case Reason.ProfilingInProgress _,
          Reason.GpuGuarded _,
          Reason.PairAvoided _,
          Reason.ProfilingNeedsFreeGpu _,
          Reason.EngineStarting _,
          Reason.ModelUnknown _,
          Reason.PolicyExcluded _,
          Reason.ObjectiveMissed _,
          Reason.GrantConflict _,
          Reason.QueuedBehind _,
          Reason.ObjectivePending _,
          Reason.OpenGrants _,
          Reason.NodeExcluded _,
          Reason.WaitTimeout _,
          Reason.GrantRefused _,
          Reason.RequestInvalid _ ->
          throw new AssertionError("says nothing of this question: " + reason);
    }
  }

  private static PlacementRequest.Share trusting(PlacementRequest.Share share, Random random) {
    return random.nextInt(3) == 0
        ? new PlacementRequest.Share(
            share.workload(), share.predictions(), share.limits(), "t"::equals)
        : share;
  }

  private static GpuSnapshot find(ClusterSnapshot snapshot, String uuid) {
    return snapshot.gpus().stream().filter(g -> g.uuid().equals(uuid)).findFirst().orElseThrow();
  }

  private static ClusterSnapshot emptied(ClusterSnapshot snapshot) {
    return new ClusterSnapshot(
        NOW,
        snapshot.gpus().stream()
            .map(gpu ->
                Clusters.gpu(
                    gpu.uuid(),
                    gpu.tenancy() instanceof Tenancy.Mig ? gpu.tenancy() : Clusters.shared(),
                    measured(0, 0)))
            .toList());
  }

  private static ClusterSnapshot randomCluster(Random random) {
    List<GpuSnapshot> gpus =
        IntStream.range(0, random.nextInt(0, 6))
            .mapToObj(i -> Clusters.gpu("GPU-" + i, tenancy(random), memory(random)))
            .toList();
    return new ClusterSnapshot(NOW, gpus);
  }

  private static Tenancy tenancy(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> new Tenancy.Mig();
      case 1 -> new Tenancy.Exclusive("team-b/whole");
      default ->
          new Tenancy.Shared(
              IntStream.range(0, random.nextInt(4))
                  .mapToObj(i ->
                      tenant(
                          (random.nextInt(3) == 0 ? "team-b/" : "t/") + i,
                          random.nextInt(1, 60),
                          random.nextInt(1, 20),
                          Duration.ofMinutes(random.nextInt(1, 60))))
                  .toList());
    };
  }

  private static MemoryObservation memory(Random random) {
    long last = random.nextInt(0, 40);
    return switch (random.nextInt(10)) {
      case 0 -> new MemoryObservation.Unmeasured();
      case 1 -> new MemoryObservation.Stale(Duration.ofMinutes(5), Duration.ofMinutes(2));
      default ->
          measured(
              last,
              Math.min(40, last + random.nextInt(0, 5)),
              forecast("cbp", random.nextInt(0, 40)));
    };
  }
}
