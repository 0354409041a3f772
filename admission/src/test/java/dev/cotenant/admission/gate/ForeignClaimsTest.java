package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** GPUs that ResourceClaims of others hold. */
class ForeignClaimsTest {
  private static final DeviceName FIRST = new DeviceName("gpu.nvidia.com", "n1", "gpu-0");

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
            new PublishedDevices("slice", "n1", Map.of(FIRST, "GPU-1a"))));
  }

  private void claim(String key) {
    change(new ClusterChange.DevicesClaimed(new ClaimedDevices(key, List.of(FIRST))));
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
                "team-b/train", List.of(new DeviceName("gpu.nvidia.com", "elsewhere", "gpu-0")))));
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
  }

  @Test
  void theClaimOfGrantedPodsIsCountedByTheirGrants() {
    bench.policy = Policy.DEFAULT.withGpuAssignment(Policy.GpuAssignment.DRA);
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

  private StoredPod sharing(String name) {
    StoredPod pod = bench.pod(name, "densenet121", 1, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.annotations.put(CotenantAnnotations.RESOURCE_CLAIM, "shared");
    bench.server.create(pod);
    bench.settle();
    return pod;
  }
}
