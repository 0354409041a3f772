package dev.cotenant.admission.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.ComputeShare;
import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuAssignmentTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");

  private static Decision.Admitted share(double utilizationPercent) {
    return new Decision.Admitted(
        List.of(
            new Grant(
                "GPU-a", "n1", FakePredictor.of(utilizationPercent, MemorySize.ofGiB(6), A100))),
        new Evidence.Recorded(""));
  }

  private static Decision.Admitted whole(String... uuids) {
    return new Decision.Admitted(
        List.of(uuids).stream().map(uuid -> new Grant(uuid, "n1", null)).toList(),
        new Evidence.FreeGpus(uuids.length, new ExclusiveCause.SeveralGpus()));
  }

  private static Colocatable pod(@Nullable MemorySize memory, @Nullable ComputeShare compute) {
    return new Colocatable(
        new PodIdentity("team-a", "p", null),
        new GpuRequest(
            GpuDialect.HAMI,
            "main",
            1,
            memory == null ? null : new DeclaredMemory.Amount(memory),
            compute),
        new WorkloadAnnotations(
            "resnet50", 1, RunSettings.DEFAULT, null, null, null, null, List.of()),
        new NodeConstraints(null, List.of()));
  }

  @ParameterizedTest(name = "{0}: a {1} on a node with {2} GPUs used {3}: {4}")
  @CsvSource({
    "NODE_ONLY, SHARE, 1, FREE, true",
    "NODE_ONLY, SHARE, 1, BY_GPU, true",
    "NODE_ONLY, SHARE, 2, FREE, false",
    "NODE_ONLY, WHOLE, 1, FREE, true",
    "NODE_ONLY, WHOLE, 8, FREE, true",
    "NODE_ONLY, WHOLE, 8, BY_COUNT, true",
    "NODE_ONLY, WHOLE, 8, BY_GPU, false",
    "HAMI, SHARE, 8, FREE, true",
    "HAMI, SHARE, 8, BY_GPU, true",
    "HAMI, SHARE, 8, BY_COUNT, false",
    "HAMI, SHARE, 1, BY_COUNT, true",
    "DRA, WHOLE, 8, BY_COUNT, false",
    "VISIBLE_DEVICES, SHARE, 8, BY_COUNT, false",
  })
  void goesWhereItCanChoose(
      Policy.GpuAssignment gpuAssignment, Extent extent, int gpus, NodeUse use, boolean goes) {
    assertThat(GpuAssignment.of(gpuAssignment).whyNot(extent, gpus, use).isEmpty()).isEqualTo(goes);
  }

  @Test
  void tellsHamiWhichGpus() {
    assertThat(
            GpuAssignment.of(Policy.GpuAssignment.HAMI)
                .annotations(pod(null, null), whole("GPU-a", "GPU-b")))
        .isEqualTo(Map.of("nvidia.com/use-gpuuuid", "GPU-a,GPU-b"));
  }

  @Test
  void warnsWhereHamiEnforcesLessThanIsPredicted() {
    GpuAssignment hami = GpuAssignment.of(Policy.GpuAssignment.HAMI);

    assertThat(hami.warnings(pod(MemorySize.ofGiB(4), new ComputeShare(30)), share(40)))
        .containsExactly(
            "it declares 4 GiB of GPU memory, which HAMi enforces, and will need 6 GiB",
            "it declares 30.0 % of compute, which HAMi enforces, and would use 40.0 %");
    assertThat(hami.warnings(pod(MemorySize.ofGiB(6), new ComputeShare(40)), share(40))).isEmpty();
    assertThat(hami.warnings(pod(null, null), whole("GPU-a"))).isEmpty();
  }

  @ParameterizedTest(name = "{0} %")
  @CsvSource({"0", "40", "95"})
  void capsNothingByUtilization(double utilizationPercent) {
    assertThat(
            GpuAssignment.of(Policy.GpuAssignment.VISIBLE_DEVICES)
                .annotations(pod(null, null), share(utilizationPercent)))
        .isEqualTo(Map.of("cotenant.dev/mps-active-thread-percentage", "100"));
  }

  @Test
  void capsAServiceAtTheShareThatItsObjectiveNeeds() {
    ObjectivePrediction service =
        new ObjectivePrediction(Duration.ofMillis(50), 20.0, 0.02, 1.2, 20, Share.ofPercent(12.5));
    Grant grant =
        new Grant(
            "GPU-a", "n1", FakePredictor.of(40, MemorySize.ofGiB(6), A100).withService(service));

    assertThat(
            GpuAssignment.of(Policy.GpuAssignment.VISIBLE_DEVICES)
                .annotations(
                    pod(null, null),
                    new Decision.Admitted(List.of(grant), new Evidence.Recorded(""))))
        .isEqualTo(Map.of("cotenant.dev/mps-active-thread-percentage", "13"));
  }

  @Test
  void capsNothingOnAWholeGpu() {
    GpuAssignment visible = GpuAssignment.of(Policy.GpuAssignment.VISIBLE_DEVICES);

    assertThat(visible.annotations(pod(null, null), whole("GPU-a")))
        .isEqualTo(Map.of("cotenant.dev/mps-active-thread-percentage", "100"));
    assertThat(visible.warnings(pod(null, null), whole("GPU-a"))).hasSize(1);
  }

  @Test
  void selectsTheGpusOfAClaimByTheirUuids() {
    assertThat(ResourceClaims.expression(whole("GPU-a", "GPU-b")))
        .isEqualTo("device.attributes['gpu.nvidia.com'].uuid in ['GPU-a', 'GPU-b']");
    assertThat(ResourceClaims.expression(whole("it's")))
        .isEqualTo("device.attributes['gpu.nvidia.com'].uuid in ['it\\'s']");
  }
}
