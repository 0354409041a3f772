package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** GPUs that ResourceClaims of others hold. */
class ForeignClaimsTest {
  private static final DeviceName FIRST = new DeviceName("gpu.nvidia.com", "n1", "gpu-0");
  private static final DeviceName SECOND = new DeviceName("gpu.nvidia.com", "n1", "gpu-1");

  private final GateBench bench = new GateBench(1);

  @BeforeEach
  void lead() {
    bench.lead();
  }

  private void change(ClusterChange change) {
    bench.controller().changed(1, change);
    bench.settle();
  }

  private void publish() {
    change(
        new ClusterChange.DevicesPublished(
            new PublishedDevices("slice", "n1", Map.of(FIRST, "GPU-1a"), Set.of(), Set.of())));
  }

  private void claim(String key) {
    change(new ClusterChange.DevicesClaimed(new ClaimedDevices(key, List.of(FIRST), Set.of())));
  }

  @Test
  void aGpuOfAnAllocatedClaimIsNotGrantedUntilTheClaimIsGone() {
    publish();
    claim("team-b/train-gpu-x7");
    StoredPod pod = bench.hold("infer", "resnet50", 10);

    assertThat(pod.gates).containsExactly(WatchedPod.GATE);
    assertThat(bench.reasons(pod).toString()).contains("ResourceClaim team-b/train-gpu-x7");

    change(new ClusterChange.DevicesReleased("team-b/train-gpu-x7"));
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
  }

  @Test
  void aDeviceThatNoSlicePublishesCountsOnTheNodeOfItsPool() {
    claim("team-b/train");
    StoredPod pod = bench.hold("infer", "resnet50", 10);
    assertThat(pod.gates).containsExactly(WatchedPod.GATE);

    publish();
    assertThat(pod.gates).containsExactly(WatchedPod.GATE);
    change(new ClusterChange.DevicesWithdrawn("slice"));
    assertThat(pod.gates).containsExactly(WatchedPod.GATE);
    change(
        new ClusterChange.DevicesClaimed(
            new ClaimedDevices(
                "team-b/train",
                List.of(new DeviceName("gpu.nvidia.com", "elsewhere", "gpu-0")),
                Set.of())));
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
  }

  @Test
  void theClaimOfGrantedPodsIsCountedByTheirGrants() {
    bench.policy = Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    publish();
    StoredPod first = sharing("first");
    claim("team-a/shared");
    StoredPod second = sharing("second");

    assertThat(GateBench.gpu(first)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(second)).as("beside it").isEqualTo("GPU-1a");

    bench.remove(first);
    bench.remove(second);
    StoredPod other = bench.hold("other", null, 1);
    assertThat(other.gates).as("the claim is still allocated").containsExactly(WatchedPod.GATE);
  }

  @Test
  void aClaimThatHoldsAnotherGpuThanItsPodWasGrantedOccupiesIt() {
    GateBench two = new GateBench(2);
    two.policy = Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    two.lead();
    change(two, published("n1", Map.of(FIRST, "GPU-1a", SECOND, "GPU-1b"), Set.of()));
    change(
        two,
        new ClusterChange.DevicesClaimed(
            new ClaimedDevices("team-a/shared", List.of(FIRST), Set.of())));

    StoredPod named = naming(two, "named", "shared");
    StoredPod next = naming(two, "next", "own");

    assertThat(GateBench.gpu(named)).isEqualTo("GPU-1b");
    assertThat(GateBench.gpu(next)).as("GPU-1a is held by the claim").isNull();
  }

  private static ClusterChange published(
      String node, Map<DeviceName, String> uuids, Set<String> divisible) {
    return new ClusterChange.DevicesPublished(
        new PublishedDevices("slice", node, uuids, divisible, Set.of()));
  }

  private static void change(GateBench bench, ClusterChange change) {
    bench.controller().changed(1, change);
    bench.settle();
  }

  /** One claim takes a divisible GPU whole; another one for a part of it is never allocated. */
  @Test
  void claimsOfCapacityStayAwayFromAGpuThatAnotherClaimTakesWhole() {
    Policy dra =
        Policy.DEFAULT
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    ClusterChange divisible = published("n1", Map.of(FIRST, "GPU-1a"), Set.of("GPU-1a"));
    bench.policy = dra;
    change(divisible);
    StoredPod whole = naming(bench, "whole", "whole");
    assertThat(GateBench.gpu(whole)).isEqualTo("GPU-1a");

    bench.policy = dra.with(copy -> copy.claimSharing = new ClaimSharing.Capacity());
    StoredPod part = naming(bench, "part", "part");
    assertThat(GateBench.gpu(part)).as("before the claim is allocated").isNull();
    claim("team-a/whole");
    StoredPod later = naming(bench, "later", "later");
    assertThat(GateBench.gpu(later)).as("allocated").isNull();

    change(new ClusterChange.DevicesReleased("team-a/whole"));
    bench.remove(whole);
    assertThat(GateBench.gpu(part)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(later)).as("both request parts").isEqualTo("GPU-1a");
  }

  /** A new leader knows by the claim itself what it takes, whatever the policy says by now. */
  @Test
  void aNewLeaderKnowsWhichClaimsTakeAGpuWhole() {
    bench.policy =
        Policy.DEFAULT
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    naming(bench, "whole", "whole");
    bench.policy = bench.policy.with(copy -> copy.claimSharing = new ClaimSharing.Capacity());
    bench.lead();
    bench.controller().changed(2, published("n1", Map.of(FIRST, "GPU-1a"), Set.of("GPU-1a")));
    ClaimedDevices whole = new ClaimedDevices("team-a/whole", List.of(FIRST), Set.of());
    bench.controller().changed(2, new ClusterChange.DevicesClaimed(whole));
    bench.settle();

    StoredPod part = naming(bench, "part", "part");
    assertThat(GateBench.gpu(part)).isNull();
    bench
        .controller()
        .changed(
            2,
            new ClusterChange.DevicesClaimed(
                new ClaimedDevices(whole.key(), List.of(FIRST), Set.of(FIRST))));
    bench.settle();
    assertThat(GateBench.gpu(part)).as("it requests a part").isEqualTo("GPU-1a");
  }

  @Test
  void aPodWithoutAGrantCountsBesideGrantedPodsOfItsClaim() {
    bench.policy = Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    publish();
    StoredPod first = sharing("first");
    claim("team-a/shared");
    StoredPod ungranted = running(bench, "ungranted", "shared");

    StoredPod second = sharing("second");
    assertThat(GateBench.gpu(second)).as("GPU-1a has a user without a grant").isNull();

    bench.remove(ungranted);
    assertThat(GateBench.gpu(second)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(first)).isEqualTo("GPU-1a");
  }

  @Test
  void aPodCountsByNumberExactlyWhileNoClaimIsKnownThatCountsForIt() {
    GateBench two = new GateBench(2);
    two.policy = Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    two.lead();
    StoredPod ungranted = running(two, "ungranted", "own");
    StoredPod next = naming(two, "next", "next");
    assertThat(GateBench.gpu(next)).as("claims are not listed").isNull();

    change(two, published("n1", Map.of(FIRST, "GPU-1a", SECOND, "GPU-1b"), Set.of()));
    ClusterChange own =
        new ClusterChange.DevicesClaimed(
            new ClaimedDevices("team-a/own", List.of(FIRST), Set.of()));
    change(two, own);
    assertThat(GateBench.gpu(next)).as("GPU-1a is held by the claim alone").isEqualTo("GPU-1b");

    two.remove(next);
    change(two, new ClusterChange.DevicesReleased("team-a/own"));
    StoredPod later = naming(two, "later", "later");
    assertThat(GateBench.gpu(later)).as("it still runs").isNull();
    two.remove(ungranted);
    assertThat(GateBench.gpu(later)).isNotNull();
    change(two, own);
    assertThat(two.controller().brokenInvariants()).isEmpty();
  }

  /** A pod that runs through a claim without a grant. */
  private static StoredPod running(GateBench bench, String name, String claim) {
    StoredPod plain = bench.pod(name, null, 1, 1);
    Colocatable request = (Colocatable) plain.request;
    StoredPod pod =
        new StoredPod(
            plain.uid,
            new Colocatable(
                plain.identity,
                new GpuRequest(GpuDialect.DRA, "main", 1, null, null),
                request.workload(),
                request.nodes()),
            bench.now);
    pod.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, claim);
    pod.node = "n1";
    pod.startedAt = bench.now;
    pod.phase = WatchedPod.Phase.RUNNING;
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  private StoredPod sharing(String name) {
    return naming(bench, name, "shared");
  }

  private static StoredPod naming(GateBench bench, String name, String claim) {
    StoredPod pod = bench.pod(name, "densenet121", 1, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, claim);
    bench.server.create(pod);
    bench.settle();
    return pod;
  }
}
