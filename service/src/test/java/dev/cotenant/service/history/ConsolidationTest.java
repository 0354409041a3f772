package dev.cotenant.service.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.Engine;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.history.Consolidation.Pair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsolidationTest {
  private static final Engine ENGINE = Engine.standard();

  /** Six free A100s. */
  private static final ClusterSnapshot EMPTY =
      ENGINE.snapshot(
          ENGINE.readCluster(RunningService.root().resolve("examples/clusters/empty.json")));

  private Policy policy = Policy.DEFAULT;

  private List<Pair> pairs(ClusterSnapshot cluster) {
    return new Consolidation(ENGINE.decider(), () -> Policies.of(policy)).pairs(cluster);
  }

  /** A pod that is granted so much; its name has its namespace. */
  private static Tenant tenant(String name, double percent, int gib) {
    return new Tenant(
        name,
        new UtilizationEstimate(
            Utilization.ofPercent(percent),
            Utilization.ofPercent(percent),
            Utilization.ofPercent(percent),
            Coverage.of(0.95)),
        new MemoryEstimate(
            MemorySize.ofGiB(gib), MemorySize.ofGiB(gib), MemorySize.ofGiB(gib), Coverage.of(0.95)),
        Slowdown.ofRatio(2),
        RiskLimit.DEFAULT,
        EMPTY.takenAt().minus(Duration.ofHours(2)),
        null);
  }

  private static ClusterSnapshot cluster(Tenant... tenants) {
    List<GpuSnapshot> gpus = new ArrayList<>(EMPTY.gpus());
    for (int i = 0; i < tenants.length; i++) {
      gpus.set(i, gpus.get(i).withTenancy(new Tenancy.Shared(List.of(tenants[i]))));
    }
    return new ClusterSnapshot(EMPTY.takenAt(), gpus);
  }

  private static SharingLimits limits() {
    return SharingLimits.DEFAULT.withSlowdown(Slowdown.ofRatio(2));
  }

  private void limit(SharingLimits limits) {
    policy = policy.with(copy -> copy.limits = DeviceLimits.of(limits));
  }

  @Test
  void pairsPodsThatWouldBeAdmittedTogetherEachOnce() {
    limit(limits());
    ClusterSnapshot cluster =
        cluster(
            tenant("a/1", 20, 4), tenant("a/2", 30, 4), tenant("a/3", 40, 4), tenant("a/4", 45, 4));
    List<Pair> found = pairs(cluster);
    assertThat(found).hasSize(2);
    assertThat(found.getFirst().moves()).isEqualTo("a/1");
    assertThat(found.getFirst().stays()).isEqualTo("a/2");
    assertThat(found.getFirst().gpu()).isEqualTo(cluster.gpus().get(1).uuid());
    assertThat(found.getFirst().grantedPercent()).isEqualTo(50);
    assertThat(found.getLast().moves()).isEqualTo("a/3");
  }

  @Test
  void keepsEveryLimitOfThePolicy() {
    limit(limits());
    assertThat(pairs(cluster(tenant("a/1", 60, 4), tenant("a/2", 60, 4)))).isEmpty();
    // What the joined pod uses is measured; what the other would use is not.
    assertThat(pairs(cluster(tenant("a/1", 20, 38), tenant("a/2", 20, 38)))).isEmpty();
    ClusterSnapshot cluster = cluster(tenant("a/1", 20, 4), tenant("a/2", 20, 4));
    assertThat(pairs(cluster)).hasSize(1);
    limit(limits().withTenants(1));
    assertThat(pairs(cluster)).isEmpty();
    limit(limits().withSlowdown(Slowdown.NONE));
    assertThat(pairs(cluster)).isEmpty();
  }

  @Test
  void aPodAloneOrOnNoGpuHasNoPartner() {
    assertThat(pairs(EMPTY)).isEmpty();
    assertThat(pairs(cluster(tenant("a/1", 20, 4)))).isEmpty();
    assertThat(pairs(cluster(tenant("without-a-namespace", 20, 4)))).isEmpty();
  }
}
