package dev.cotenant.admission.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.ClusterWriter.DeviceClaim;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.domain.quantity.MemorySize;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ResourceClaims as the writer creates them. */
class ClaimWritingTest {
  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final FabricWriter writer =
      new FabricWriter(bench.loopContext(), () -> true, "pod-1", (_, _) -> {});

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void podsShareAClaimThatSelectsTheSame() throws InterruptedException {
    WatchedPod one = bench.create(Manifests.gatedPod("one"));
    WatchedPod two = bench.create(Manifests.gatedPod("two"));
    DeviceClaim wanted = claimed("device.attributes[\"x\"] == \"y\"", new ClaimSharing.Unset());

    assertThat(claim(one, wanted)).isEqualTo(new WriteResult.Done());
    assertThat(claim(two, wanted)).isEqualTo(new WriteResult.Done());
    assertThat(claim(two, wanted)).isEqualTo(new WriteResult.Done());
    assertThat(claim(two, claimed("false", new ClaimSharing.Unset())))
        .isInstanceOf(WriteResult.Refused.class);

    ObjectNode claim = bench.fake.list("resourceclaims").getFirst();
    assertThat(claim.at("/metadata/ownerReferences")).hasSize(2);
    assertThat(claim.at("/spec/devices/requests/0/exactly/deviceClassName").asText())
        .isEqualTo("gpu.nvidia.com");
    assertThat(claim.at("/spec/devices").has("config")).isFalse();
  }

  private static DeviceClaim claimed(String expression, ClaimSharing sharing) {
    return new DeviceClaim("gpu.nvidia.com", expression, 1, sharing, null);
  }

  @Test
  void aClaimHasTheParametersOfItsSharingForTheDriver() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("one"));
    ClaimSharing mps = new ClaimSharing.Mps(40, MemorySize.ofGiB(10));

    assertThat(claim(pod, claimed("true", mps))).isEqualTo(new WriteResult.Done());

    assertThat(bench.fake.list("resourceclaims").getFirst().at("/spec/devices/config"))
        .isEqualTo(
            Json.parse(
                """
                [{"requests": ["gpu"],
                  "opaque": {
                    "driver": "gpu.nvidia.com",
                    "parameters": {
                      "apiVersion": "resource.nvidia.com/v1beta1",
                      "kind": "GpuConfig",
                      "sharing": {
                        "strategy": "MPS",
                        "mpsConfig": {
                          "defaultActiveThreadPercentage": 40,
                          "defaultPinnedDeviceMemoryLimit": "10240Mi"}}}}}]
                """));
  }

  /** In whole MiB, rounded up; a claim for another amount is another claim. */
  @Test
  void aClaimOfCapacityRequestsMemory() throws InterruptedException {
    WatchedPod one = bench.create(Manifests.gatedPod("one"));
    WatchedPod two = bench.create(Manifests.gatedPod("two"));

    assertThat(claim(one, part((8L << 30) + 1))).isEqualTo(new WriteResult.Done());
    assertThat(claim(two, part(9L << 30))).isInstanceOf(WriteResult.Refused.class);

    ObjectNode claim = bench.fake.list("resourceclaims").getFirst();
    assertThat(claim.at("/spec/devices/requests/0/exactly/capacity"))
        .isEqualTo(Json.parse("{\"requests\": {\"memory\": \"8193Mi\"}}"));
    assertThat(claim.at("/spec/devices").has("config")).isFalse();
  }

  private static DeviceClaim part(long bytes) {
    return new DeviceClaim(
        "gpu.nvidia.com", "true", 1, new ClaimSharing.Capacity(), MemorySize.ofBytes(bytes));
  }

  @Test
  void timeSlicingHasTheIntervalThatTheDriverRequires() {
    assertThat(SharingParameters.of(new ClaimSharing.TimeSlicing()).orElseThrow().at("/sharing"))
        .isEqualTo(
            Json.parse(
                """
                {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Default"}}
                """));
    assertThat(
            SharingParameters.of(new ClaimSharing.Mps(null, null))
                .orElseThrow()
                .at("/sharing/mpsConfig"))
        .isEqualTo(Json.object());
  }

  @Test
  void podsShareAClaimThatWasMadeWithoutSharing() throws InterruptedException {
    WatchedPod one = bench.create(Manifests.gatedPod("one"));
    WatchedPod two = bench.create(Manifests.gatedPod("two"));

    assertThat(claim(one, claimed("true", new ClaimSharing.Unset())))
        .isEqualTo(new WriteResult.Done());
    assertThat(claim(two, claimed("true", new ClaimSharing.TimeSlicing())))
        .isEqualTo(new WriteResult.Done());

    ObjectNode claim = bench.fake.list("resourceclaims").getFirst();
    assertThat(claim.at("/metadata/ownerReferences")).hasSize(2);
    assertThat(claim.at("/spec/devices").has("config")).isFalse();
  }

  /** An earlier leader may have selected another profile. */
  @Test
  void aMigDeviceOfThePodIsTakenAsItIs() throws InterruptedException {
    WatchedPod owner = bench.create(Manifests.gatedPod("one"));
    WatchedPod other = bench.create(Manifests.gatedPod("two"));
    DeviceClaim small = mig("profile == '1g.5gb'");
    DeviceClaim large = mig("profile == '2g.10gb'");

    assertThat(claim(owner, small)).isEqualTo(new WriteResult.Done());
    assertThat(claim(owner, large)).isEqualTo(new WriteResult.Done());
    assertThat(claim(other, large)).isInstanceOf(WriteResult.Refused.class);
    assertThat(claim(owner, claimed("true", new ClaimSharing.Unset())))
        .as("of a GPU")
        .isInstanceOf(WriteResult.Refused.class);
    assertThat(bench.fake.list("resourceclaims").getFirst().toString())
        .contains("1g.5gb")
        .doesNotContain("2g.10gb");
  }

  private static DeviceClaim mig(String expression) {
    return new DeviceClaim(DeviceClaim.MIG, expression, 1, new ClaimSharing.Mig(), null);
  }

  private WriteResult claim(WatchedPod pod, DeviceClaim wanted) throws InterruptedException {
    return Written.await(done -> writer.claim(pod, "cotenant-gpu-1", wanted, done));
  }
}
