package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.PublishedDevices.MigProfile;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Claims of MIG devices of an A100 with 40 GB: {@code densenet121} at batch 1 needs at most 4.06
 * GiB in 99 % of cases, {@code resnet50} at batch 64 at most 8.
 */
class MigClaimsTest {
  private static final String A100 = "NVIDIA A100-SXM4-40GB";
  private static final DeviceName GPU = new DeviceName("gpu.nvidia.com", "n1", "gpu-0");
  private static final DeviceName MIG = new DeviceName("gpu.nvidia.com", "n1", "gpu-0-mig-5-0");

  private GateBench bench = new GateBench(1);

  @BeforeEach
  void lead() {
    bench.policy =
        Policy.DEFAULT
            .with(copy -> copy.staleMetrics = Policy.StaleMetrics.HOLD)
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.DRA)
            .with(copy -> copy.claimSharing = new ClaimSharing.Mig());
    bench.lead();
  }

  private static MigProfile profile(String name, int slices, long mebibytes) {
    return new MigProfile(A100, name, slices, MemorySize.ofMiB(mebibytes));
  }

  private void publish(MigProfile... profiles) {
    change(
        new ClusterChange.DevicesPublished(
            new PublishedDevices(
                "slice", "n1", Map.of(GPU, "GPU-1a", MIG, "GPU-1a"), Set.of(), Set.of(profiles))));
  }

  private void publishAll() {
    publish(
        profile("1g.5gb", 1, 4864),
        profile("1g.10gb", 1, 9856),
        profile("2g.10gb", 2, 9856),
        profile("3g.20gb", 3, 19968),
        profile("7g.40gb", 7, 40192));
  }

  private void change(ClusterChange change) {
    bench.controller().changed(1, change);
    bench.settle();
  }

  private StoredPod claiming(StoredPod pod) {
    return claiming(pod, ((Colocatable) pod.request).workload());
  }

  private StoredPod claiming(StoredPod pod, WorkloadAnnotations workload) {
    StoredPod claiming =
        new StoredPod(
            pod.uid,
            new Colocatable(
                pod.identity,
                new GpuRequest(GpuDialect.DRA, "main", 1, null, null),
                workload,
                ((Colocatable) pod.request).nodes()),
            bench.now);
    claiming.annotations.putAll(pod.annotations);
    claiming.nodeSelector.putAll(pod.nodeSelector);
    claiming.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, "of-" + pod.identity.name());
    claiming.gates.add(WatchedPod.GATE);
    bench.server.create(claiming);
    bench.settle();
    return claiming;
  }

  private static String claimed(String pod, String profile) {
    String attributes = "device.attributes['gpu.nvidia.com'].";
    return "of-%s: %sprofile == '%s' && %sproductName == '%s' Mig[]"
        .formatted(pod, attributes, profile, attributes, A100);
  }

  @Test
  void requestTheLeastMemoryThatHoldsAndThenTheLeastCompute() {
    publishAll();

    StoredPod small = claiming(bench.pod("small", "densenet121", 1, 1));
    StoredPod large = claiming(bench.pod("large", "resnet50", 64, 1));

    assertThat(bench.replica.claims)
        .containsExactlyInAnyOrder(claimed("small", "1g.5gb"), claimed("large", "1g.10gb"));
    assertThat(small.gates).isEmpty();
    assertThat(large.gates).isEmpty();
    assertThat(small.annotations.get(CotenantAnnotations.REASON))
        .contains("MigDevice", "1g.5gb of " + A100);
    assertThat(bench.controller().view().granted()).isEmpty();
  }

  /** A batch takes at most 5 ms on the whole GPU, and two times as long in two slices. */
  @Test
  void keepTheLatencyObjective() {
    publishAll();
    RunSettings settings =
        RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32).withLoad(new Load.RequestRate(1));
    StoredPod plain = bench.pod("fast", "densenet121", 1, 1);

    claiming(
        plain,
        new WorkloadAnnotations(
            "densenet121", 1, settings, null, Duration.ofMillis(11), null, null, List.of()));

    assertThat(bench.replica.claims).containsExactly(claimed("fast", "2g.10gb"));
  }

  @Test
  void areOfAtLeastTheDeclaredMemory() {
    publishAll();
    RunSettings settings = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

    claiming(
        bench.pod("declared", "densenet121", 1, 1),
        new WorkloadAnnotations(
            "densenet121", 1, settings, MemorySize.ofGiB(12), null, null, null, List.of()));

    assertThat(bench.replica.claims).containsExactly(claimed("declared", "3g.20gb"));
  }

  @Test
  void areOfNodesThatThePodIsEligibleFor() {
    bench = new GateBench(1, 1);
    lead();
    publish(profile("1g.5gb", 1, 4864));
    change(
        new ClusterChange.DevicesPublished(
            new PublishedDevices(
                "slice-2",
                "n2",
                Map.of(new DeviceName("gpu.nvidia.com", "n2", "gpu-0-mig"), "GPU-2a"),
                Set.of(),
                Set.of(profile("2g.10gb", 2, 9856)))));
    StoredPod pod = bench.pod("there", "densenet121", 1, 1);
    pod.nodeSelector.put(WatchedNode.HOSTNAME_LABEL, "n2");

    claiming(pod);

    assertThat(bench.replica.claims).containsExactly(claimed("there", "2g.10gb"));
  }

  @Test
  void areOfAGpuWhereNoPublishedDeviceHolds() {
    publish(profile("1g.5gb", 1, 4864), profile("7g.40gb", 7, 7168));

    StoredPod large = claiming(bench.pod("large", "resnet50", 64, 1));

    assertThat(GateBench.gpu(large)).isEqualTo("GPU-1a");
    assertThat(bench.replica.claims)
        .containsExactly("of-large: device.attributes['gpu.nvidia.com'].uuid in ['GPU-1a'] Mig[]");
  }

  /** Which then is no GPU for others: the scheduler counts what its partitions consume. */
  @Test
  void occupyTheGpuOfTheirDevice() {
    publishAll();
    StoredPod small = claiming(bench.pod("small", "densenet121", 1, 1));
    change(
        new ClusterChange.DevicesClaimed(
            new ClaimedDevices("team-a/of-small", List.of(MIG), Set.of())));
    small.node = "n1";
    small.startedAt = bench.now;
    small.phase = WatchedPod.Phase.RUNNING;
    bench.change(small);
    bench.policy = bench.policy.with(copy -> copy.claimSharing = new ClaimSharing.Unset());

    StoredPod whole = claiming(bench.pod("whole", null, 1, 1));

    assertThat(whole.gates).containsExactly(WatchedPod.GATE);
    bench.remove(small);
    change(new ClusterChange.DevicesReleased("team-a/of-small"));
    assertThat(GateBench.gpu(whole)).isEqualTo("GPU-1a");
  }

  @Test
  void areMadeAfterARefusalThatHasExpired() {
    publishAll();
    bench.replica.claiming = new WriteResult.Refused("it selects other devices");
    StoredPod small = claiming(bench.pod("small", "densenet121", 1, 1));
    bench.later(Duration.ofSeconds(2));
    assertThat(bench.replica.claims).as("tried again").hasSize(2);
    assertThat(bench.events()).containsOnlyOnce("ClaimRefused");
    bench.replica.claiming = new WriteResult.Done();
    bench.later(Duration.ofMillis(500));
    assertThat(small.gates).as("the pause grows").containsExactly(WatchedPod.GATE);

    bench.later(Duration.ofSeconds(2));

    assertThat(small.gates).isEmpty();
  }

  /** Claims are immutable, and the first may have been made. */
  @Test
  void areNotOfAnotherProfileOnceOneMayHaveBeenMade() {
    publish(profile("2g.10gb", 2, 9856));
    bench.replica.claiming = new WriteResult.Unknown("timed out");
    StoredPod small = claiming(bench.pod("small", "densenet121", 1, 1));
    publishAll();
    bench.replica.claiming = new WriteResult.Done();
    bench.later(Duration.ofSeconds(2));

    assertThat(small.gates).isEmpty();
    assertThat(bench.replica.claims)
        .containsExactly(claimed("small", "2g.10gb"), claimed("small", "2g.10gb"));
  }

  @Test
  void areRefusedWhereAClaimOfThatNameSelectsOtherDevices() {
    publishAll();
    bench.replica.claiming = new WriteResult.Refused("it selects other devices");

    StoredPod small = claiming(bench.pod("small", "densenet121", 1, 1));

    assertThat(small.gates).containsExactly(WatchedPod.GATE);
    assertThat(bench.codes(small)).containsExactly("GrantRefused");
    assertThat(bench.events()).contains("ClaimRefused");
  }

  @Test
  void areMadeAgainWithoutAnAnswerAndByALaterLeader() {
    publishAll();
    bench.replica.claiming = new WriteResult.Unknown("timed out");
    StoredPod small = claiming(bench.pod("small", "densenet121", 1, 1));
    assertThat(small.gates).containsExactly(WatchedPod.GATE);
    assertThat(bench.replica.claims).as("after a pause").hasSize(1);
    assertThat(bench.cycle()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
    bench.later(Duration.ofSeconds(2));
    assertThat(bench.replica.claims).hasSize(2);

    bench.beginInSilence(new PersistedState(List.of(), bench.notes));
    bench
        .controller()
        .changed(
            2,
            new ClusterChange.DevicesPublished(
                new PublishedDevices(
                    "slice",
                    "n1",
                    Map.of(GPU, "GPU-1a", MIG, "GPU-1a"),
                    Set.of(),
                    Set.of(profile("1g.5gb", 1, 4864)))));
    bench.settle();

    assertThat(small.gates).isEmpty();
    assertThat(bench.replica.claims).containsExactly(claimed("small", "1g.5gb"));
  }
}
