package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Which GPUs come into question, by GPU assignment and by what is measured. On an A100 {@code
 * densenet121} at batch 1 keeps the GPU busy for at most 35 + 0.1 + 10 = 45.1 %.
 */
class WhereToTest {
  private final GateBench bench = new GateBench(1, 1);

  @Test
  void takesWhatWasGrantedForWhatIsUsedWherePolicyAllowsIt() {
    bench.policy =
        bench
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.ALLOW)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.HAMI);
    bench.blind.addAll(List.of("GPU-1a", "GPU-2a"));
    bench.lead();
    bench.measure();

    StoredPod first = bench.hold("a", "densenet121", 1);
    StoredPod second = bench.hold("b", "densenet121", 1);

    assertThat(GateBench.gpu(first)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(second)).isEqualTo("GPU-1a");
  }

  @Test
  void grantsUnmeasuredGpusWholeWherePolicySaysSo() {
    bench.policy =
        bench
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.EXCLUSIVE)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.HAMI);
    bench.blind.addAll(List.of("GPU-1a", "GPU-2a"));
    bench.lead();
    bench.measure();

    StoredPod first = bench.hold("a", "densenet121", 1);
    StoredPod second = bench.hold("b", "densenet121", 1);

    assertThat(first.annotations).containsEntry(CotenantAnnotations.DECISION, "Exclusive");
    assertThat(GateBench.gpu(first)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(second)).isEqualTo("GPU-2a");
  }

  @Test
  void goesByNodeAloneToNodesWithOneGpuOnly() {
    GateBench mixed = new GateBench(2, 1);
    mixed.policy =
        mixed
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY);
    mixed.lead();

    StoredPod share = mixed.hold("share", "resnet50", 10);
    StoredPod two = mixed.hold("two", null, 1, 2);

    assertThat(GateBench.gpu(share)).isEqualTo("GPU-2a");
    assertThat(GateBench.gpu(two)).isEqualTo("GPU-1a,GPU-1b");
    StoredPod next = mixed.hold("next", "vgg19", 10);
    assertThat(mixed.reasons(next))
        .contains(
            new Reason.NodeExcluded(
                "n1", "has 2 GPUs, and GPU assignment node-only cannot select one of them"));
  }

  @Test
  void saysWhyAGpuIsNotSharedAndNothingOfGpusThatThereAreNot() {
    GateBench single = new GateBench(1);
    single.policy = single.policy.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY);
    single.lead();
    single.hold("first", "vgg19", 10); // 71 %

    StoredPod second = single.hold("second", "vgg19", 10);

    assertThat(single.codes(second)).containsExactly("InterferenceExceeded", "UtilizationExceeded");
  }

  @Test
  void grantsGpusThatPodsCannotShareWholeAtOnce() {
    GateBench several = new GateBench(2);
    several.policy =
        several
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY);
    several.lead();

    StoredPod first = several.hold("first", "densenet121", 1);
    StoredPod second = several.hold("second", "densenet121", 1);
    StoredPod third = several.hold("third", "densenet121", 1);

    assertThat(first.annotations)
        .containsEntry(CotenantAnnotations.DECISION, "Exclusive")
        .containsEntry(
            CotenantAnnotations.REASON,
            "a whole GPU: GPU assignment node-only cannot select one of a node's GPUs");
    assertThat(List.of(first, second)).extracting(GateBench::gpu).doesNotContainNull();
    assertThat(GateBench.gpu(third)).isNull();
  }

  @Test
  void namesEachGpuInOneGrantAlthoughTheKubeletChoosesAnother() {
    GateBench several = new GateBench(4);
    several.policy =
        several.policy.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY);
    several.lead();
    List<StoredPod> pods = new ArrayList<>();
    for (String used : List.of("GPU-1d", "GPU-1c", "GPU-1b", "GPU-1a")) {
      StoredPod pod = several.hold("uses-" + used, "densenet121", 1);
      pod.usedGpu = used;
      several.start(pod);
      several.later(Duration.ofSeconds(70));
      pods.add(pod);
    }

    assertThat(pods)
        .extracting(GateBench::gpu)
        .containsExactlyInAnyOrder("GPU-1a", "GPU-1b", "GPU-1c", "GPU-1d");
    assertThat(GateBench.gpu(several.hold("fifth", "densenet121", 1))).isNull();
  }

  /** A pod that runs on n1 without a grant. */
  private static StoredPod unmanaged(GateBench bench, PodRequest request) {
    PodIdentity name = new PodIdentity("team-b", "unmanaged", null);
    StoredPod pod = new StoredPod("uid-unmanaged", name, request, bench.now);
    pod.node = "n1";
    pod.startedAt = bench.now;
    pod.phase = WatchedPod.Phase.RUNNING;
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  @Test
  void countsTheRequestOfAPodThatOptedOut() {
    GateBench several = new GateBench(3);
    several.policy =
        several
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY);
    several.lead();
    unmanaged(several, new PodRequest.OptedOut(OptionalInt.of(1)));

    assertThat(GateBench.gpu(several.hold("a", null, 1))).isNotNull();
    assertThat(GateBench.gpu(several.hold("b", null, 1))).isNotNull();
    assertThat(GateBench.gpu(several.hold("c", null, 1))).isNull();
  }

  @Test
  void countsTheWholeNodeForAPodWithoutAReadableRequest() {
    GateBench several = new GateBench(3);
    several.policy =
        several
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY);
    several.lead();
    unmanaged(several, new PodRequest.OptedOut(OptionalInt.empty()));

    assertThat(GateBench.gpu(several.hold("a", null, 1))).isNull();
  }

  @Test
  void sharesNoGpuWithAnUnmanagedPodThatCameAfterAGrant() {
    GateBench single = new GateBench(1);
    single.lead();
    StoredPod granted = single.hold("granted", "densenet121", 1);
    single.start(granted);
    StoredPod unmanaged = unmanaged(single, new PodRequest.OptedOut(OptionalInt.of(1)));

    StoredPod next = single.hold("next", "densenet121", 1);
    assertThat(GateBench.gpu(next)).isNull();
    single.remove(unmanaged);
    assertThat(GateBench.gpu(next)).isEqualTo("GPU-1a");
  }

  private static WatchedNode node(String name, Map<String, String> labels) {
    Map<String, String> all = new TreeMap<>(labels);
    all.put("nvidia.com/gpu.product", "NVIDIA-A100-40GB");
    return new WatchedNode(name, all, List.of(), true, 1);
  }

  @Test
  void sendsNobodyToANodeThatItsHostNameDoesNotTellFromOthers() {
    bench.lead();
    String hostname = WatchedNode.HOSTNAME_LABEL;
    bench.controller().nodeSeen(1, node("n1", Map.of()));
    bench.controller().nodeSeen(1, node("n2", Map.of(hostname, "same")));
    bench.controller().nodeSeen(1, node("n3", Map.of(hostname, "same")));

    StoredPod pod = bench.hold("train", "densenet121", 1);

    assertThat(GateBench.gpu(pod)).isNull();
    assertThat(bench.reasons(pod))
        .contains(
            new Reason.NodeExcluded(
                "n1", "it has no label kubernetes.io/hostname, by which pods are sent to it"),
            new Reason.NodeExcluded(
                "n2", "another node has the label kubernetes.io/hostname=same too"));

    bench.controller().nodeSeen(1, node("n1", Map.of(hostname, "n1")));
    bench.settle();
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
  }

  @Test
  void makesTheClaimThatAPodNamesOnceItIsKnownWhichGpuItGets() {
    bench.policy =
        bench
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    bench.lead();
    StoredPod first = bench.pod("a", "densenet121", 1, 1);
    StoredPod second = bench.pod("b", "densenet121", 1, 1);
    for (StoredPod pod : List.of(first, second)) {
      pod.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, "shared-" + pod.identity.name());
      pod.gates.add(WatchedPod.GATE);
      bench.server.create(pod);
    }
    bench.settle();
    // Different claims never share a GPU, though 2 x 45.1 % would fit on one.
    assertThat(GateBench.gpu(first)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(second)).isEqualTo("GPU-2a");
    assertThat(bench.replica.claims)
        .containsExactlyInAnyOrder(
            "shared-a: device.attributes['gpu.nvidia.com'].uuid in ['GPU-1a']",
            "shared-b: device.attributes['gpu.nvidia.com'].uuid in ['GPU-2a']");
  }

  @Test
  void putsTheSharingOfThePolicyIntoClaimsOfSharesAlone() {
    bench.policy =
        bench
            .policy
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA)
            .with(copy -> copy.claimSharing = new ClaimSharing.TimeSlicing());
    bench.lead();

    naming(bench, "share", "shared");
    StoredPod whole = bench.pod("whole", null, 1, 1);
    whole.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, "own");
    whole.gates.add(WatchedPod.GATE);
    bench.server.create(whole);
    bench.settle();

    assertThat(bench.replica.claims)
        .containsExactly(
            "shared: device.attributes['gpu.nvidia.com'].uuid in ['GPU-1a'] TimeSlicing[]",
            "own: device.attributes['gpu.nvidia.com'].uuid in ['GPU-2a']");
  }

  /** A part of a GPU for each claim, on GPUs alone whose driver lets several claims have one. */
  @Test
  void claimsOfCapacityShareAGpuThatItsDriverDivides() {
    GateBench bench = new GateBench(1, 1);
    bench.policy =
        bench
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA)
            .with(copy -> copy.claimSharing = new ClaimSharing.Capacity());
    bench.lead();

    StoredPod first = naming(bench, "a", "mine");
    assertThat(GateBench.gpu(first)).isNull();
    bench
        .controller()
        .changed(
            1,
            new ClusterChange.DevicesPublished(
                new PublishedDevices(
                    "slice",
                    "n2",
                    Map.of(new DeviceName("gpu.nvidia.com", "n2", "gpu-0"), "GPU-2a"),
                    Set.of("GPU-2a"),
                    Set.of())));
    bench.settle();
    StoredPod second = naming(bench, "b", "yours");

    assertThat(GateBench.gpu(first)).isEqualTo("GPU-2a");
    assertThat(GateBench.gpu(second)).isEqualTo("GPU-2a");
    String uuid = "device.attributes['gpu.nvidia.com'].uuid in ['GPU-2a'] Capacity[]";
    assertThat(bench.replica.claims)
        .containsExactlyInAnyOrder("mine: " + uuid + " 3.06 GiB", "yours: " + uuid + " 3.06 GiB");
  }

  @Test
  void forgetsWhoUsedAClaimThoughItNamesAnotherByNow() {
    GateBench bench = new GateBench(1, 1);
    bench.policy =
        bench
            .policy
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA);
    bench.lead();
    StoredPod first = naming(bench, "a", "shared");
    first.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, "renamed");
    bench.change(first);
    bench.remove(first);
    naming(bench, "b", "other"); // on GPU-1a

    StoredPod again = naming(bench, "c", "shared");

    assertThat(GateBench.gpu(again)).isEqualTo("GPU-2a");
  }

  /** A held pod that names a claim, decided on. */
  private static StoredPod naming(GateBench bench, String name, String claim) {
    StoredPod pod = bench.pod(name, "densenet121", 1, 1);
    pod.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, claim);
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.settle();
    return pod;
  }
}
