package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.HungryModels;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome.Predicted;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.placement.SharingDecider;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Held pods that took a share on n1 which was reserved for {@code resnet50} (at batch 1 at most
 * 50.1 %, adding 2 % to everybody's slowdown), and run {@code densenet121} (at most 45.1 %, as much
 * memory, adding 7 %): they ask for less, and are worse neighbours.
 */
class ReservedNeighboursTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final String RESERVED = "resnet50";
  private static final String HUNGRY = "densenet121";

  private final HungryModels models = new HungryModels();
  private final GateBench bench = new GateBench(1, 1);

  ReservedNeighboursTest() {
    bench.predictor = models;
    bench.interference = models;
    bench.lead();
  }

  private StoredPod pod(String name, String model, @Nullable Double tolerated) {
    return new StoredPod(
        "uid-" + name,
        new Colocatable(
            new PodIdentity("team-a", name, null),
            new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
            new WorkloadAnnotations(
                model,
                1,
                RunSettings.DEFAULT,
                null,
                null,
                tolerated == null ? null : Slowdown.ofRatio(tolerated),
                null,
                List.of()),
            new NodeConstraints(null, List.of())),
        bench.now);
  }

  private StoredPod hold(StoredPod pod) {
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  private void reserve() {
    Predicted predicted =
        (Predicted)
            models.predict(
                new Workload(RESERVED, 1, RunSettings.DEFAULT), Set.of(A100), Coverage.STANDARD);
    PlacementRequest share =
        new PlacementRequest.Share("reserved", predicted.byDevice(), SharingLimits.DEFAULT);
    CapacityRequest capacityRequest =
        new CapacityRequest("t1", (Colocatable) pod("to-come", RESERVED, null).request);
    SharingDecider decider = new SharingDecider(models);
    assertThat(
            bench
                .controller()
                .allocate(
                    capacityRequest,
                    on -> decider.decide(on, share, gpu -> gpu.node().equals("n1"))))
        .hasValueSatisfying(made -> assertThat(made).isInstanceOf(Decision.Admitted.class));
  }

  /** It takes what is reserved, and is decided on. */
  private StoredPod take(StoredPod pod) {
    pod.gates.add("example.com/other");
    hold(pod);
    assertThat(bench.controller().confirm("t1", pod.identity, pod.uid)).isTrue();
    pod.gates.remove("example.com/other");
    bench.change(pod);
    return pod;
  }

  private int tenants(String gpu) {
    Tenancy.Shared shared =
        (Tenancy.Shared) bench.controller().view().cluster().find(gpu).orElseThrow().tenancy();
    return shared.tenants().size();
  }

  /* Beside a densenet121 that tolerates 1.10: resnet50 makes 1.09 of it, another one 1.14. */
  @Test
  void decidesAnewOnAPodThatANeighbourDoesNotTolerateBesideIt() {
    StoredPod neighbour = hold(pod("neighbour", HUNGRY, 1.10));
    assertThat(GateBench.gpu(neighbour)).isEqualTo("GPU-1a");
    reserve();

    StoredPod taker = take(pod("taker", HUNGRY, null));

    assertThat(GateBench.gpu(taker)).isEqualTo("GPU-2a");
    assertThat(taker.annotations).containsEntry(CotenantAnnotations.PREDICTED_UTILIZATION, "45.1");
    assertThat(bench.controller().find("t1")).as("is given back").isEmpty();
    assertThat(tenants("GPU-1a")).isEqualTo(1);
  }

  @Test
  void letsAPodGoThatTheNeighbourToleratesAsItDoesWhatWasReserved() {
    hold(pod("neighbour", HUNGRY, 1.10));
    reserve();

    StoredPod taker = take(pod("taker", RESERVED, null));

    assertThat(GateBench.gpu(taker)).isEqualTo("GPU-1a");
    assertThat(tenants("GPU-1a")).isEqualTo(2);
  }

  /* It would itself be slowed down by 1.09. */
  @Test
  void decidesAnewOnAPodThatDoesNotTolerateTheNeighbour() {
    hold(pod("neighbour", HUNGRY, null));
    reserve();

    StoredPod taker = take(pod("taker", RESERVED, 1.05));

    assertThat(GateBench.gpu(taker)).isEqualTo("GPU-2a");
  }

  /* 50.1 % are reserved and stay so; 50.1 + 45.1 < 100, but 1 + 0.07 + 0.07 > 1.10. */
  @Test
  void countsWithItsOwnModelBesideWhoeverComesLater() {
    reserve();
    StoredPod taker = take(pod("taker", HUNGRY, null));
    assertThat(GateBench.gpu(taker)).isEqualTo("GPU-1a");
    assertThat(taker.annotations).containsEntry(CotenantAnnotations.PREDICTED_UTILIZATION, "50.1");

    StoredPod later = hold(pod("later", HUNGRY, 1.10));

    assertThat(GateBench.gpu(later)).isEqualTo("GPU-2a");
  }

  /* The limits became stricter since: 45.1 + 50.1 > 90 %. */
  @Test
  void decidesAnewOnAPodWhoseNamespaceHasStricterLimitsByNow() {
    hold(pod("neighbour", HUNGRY, null));
    reserve();
    bench.policy =
        bench.policy.with(copy ->
            copy.limits =
                DeviceLimits.of(
                    SharingLimits.DEFAULT.withSummedUtilization(SummedUtilization.ofPercent(90))));
    bench.controller().policiesChanged();

    StoredPod taker = take(pod("taker", RESERVED, null));

    assertThat(GateBench.gpu(taker)).isEqualTo("GPU-2a");
  }

  @Test
  void takesWhatWasReservedThoughItsSamplesAreOldByNow() {
    reserve();
    bench.blind.add("GPU-1a");
    bench.measure();

    StoredPod taker = take(pod("taker", HUNGRY, null));

    assertThat(bench.policy.staleMetrics()).isEqualTo(Policy.StaleMetrics.HOLD);
    assertThat(GateBench.gpu(taker)).isEqualTo("GPU-1a");
    assertThat(bench.controller().find("t1"))
        .hasValueSatisfying(grant -> assertThat(grant.extent()).isEqualTo(PodGrant.Extent.SHARE));
  }
}
