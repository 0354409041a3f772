package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Capacity that is held for a pod while its scheduler binds it. */
class AssumedCapacityTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");

  private final GateBench bench = new GateBench(1, 1);
  private final StoredPod pod = bench.pod("infer", "densenet121", 1, 1);

  private void lead() {
    bench.lead();
    bench.server.create(pod);
    bench.settle();
  }

  /** At most 35 + 10 %, 4 GiB: two of them fit on a GPU of 39 GiB. */
  private static Decision share(ClusterSnapshot cluster) {
    return new SharingDecider(FallbackInterferenceModel.builtIn())
        .decide(
            cluster,
            new PlacementRequest.Share(
                "w",
                Map.of(A100, FakePredictor.of(35, MemorySize.ofGiB(3), A100)),
                DeviceLimits.of(SharingLimits.DEFAULT)),
            gpu -> gpu.node().equals("n1"));
  }

  private void assume() {
    Claim claim = new Claim(Claim.tokenOf(pod.uid), (Colocatable) pod.request);
    assertThat(bench.controller().allocate(claim, AssumedCapacityTest::share))
        .hasValueSatisfying(d -> assertThat(d).isInstanceOf(Decision.Admitted.class));
  }

  private int tenants(String gpu) {
    return bench.controller().cluster().orElseThrow().find(gpu).orElseThrow().tenancy()
            instanceof Tenancy.Shared(var tenants)
        ? tenants.size()
        : -1;
  }

  private void bind(String node) {
    pod.node = node;
    bench.change(pod);
  }

  @Test
  void becomesThePodsOwnWhereItIsBoundAsSoonAsThatIsSeen() {
    lead();
    assume();
    assertThat(tenants("GPU-1a")).isEqualTo(1);

    bind("n1");

    assertThat(tenants("GPU-1a")).as("once, as a share").isEqualTo(1);
    assertThat(bench.controller().find(Claim.tokenOf(pod.uid))).isEmpty();
    bench.later(Duration.ofHours(1));
    assertThat(tenants("GPU-1a")).as("it does not lapse").isEqualTo(1);
  }

  @Test
  void isWrittenOntoThePodForTheNextLeader() {
    lead();
    assume();
    bind("n1");

    assertThat(pod.annotations)
        .containsEntry(CotenantAnnotations.ASSIGNED_GPU, "GPU-1a")
        .containsEntry(CotenantAnnotations.ASSIGNED_NODE, "n1")
        .containsEntry(CotenantAnnotations.DECISION, "Admitted")
        .containsEntry(CotenantAnnotations.PREDICTED_UTILIZATION, "45.0");
    bench.lead();
    assertThat(tenants("GPU-1a")).isEqualTo(1);
  }

  @Test
  void isGivenBackWhereThePodIsBoundElsewhere() {
    lead();
    assume();
    bind("n2");

    assertThat(tenants("GPU-1a")).isZero();
    assertThat(tenants("GPU-2a")).as("held whole by a pod that was granted nothing").isEqualTo(-1);
    assertThat(pod.annotations).doesNotContainKey(CotenantAnnotations.ASSIGNED_GPU);
  }

  @Test
  void isGivenBackWhenThePodIsGoneOrNobodyBindsItInTime() {
    lead();
    assume();
    bench.later(Duration.ofMinutes(2));
    assertThat(tenants("GPU-1a")).isZero();

    assume();
    bench.remove(pod);
    assertThat(tenants("GPU-1a")).isZero();
  }
}
