package dev.cotenant.admission.kubernetes.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.PublishedDevices.MigProfile;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceReaderTest {
  private static final String SLICE =
      """
      {"metadata": {"name": "s"}, "spec": {"driver": "gpu.nvidia.com", "nodeName": "n1",
       "pool": {"name": "n1"}, "devices": [
        {"name": "gpu-0", "attributes": {"uuid": {"string": "GPU-a"}}},
        {"name": "gpu-1-mig-0", "attributes": {"uuid": {"string": "MIG-1"},
         "parentUUID": {"string": "GPU-b"}}},
        {"name": "nic", "attributes": {"uuid": {"string": "0000:01"}}},
        {"name": "odd", "attributes": {"uuid": {"int": 7}}}]}}
      """;

  @Test
  void readsGpusAndTheGpusOfMigDevices() {
    assertThat(DeviceReader.slice(Manifests.json(SLICE)))
        .contains(
            new PublishedDevices(
                "s",
                "n1",
                Map.of(
                    new DeviceName("gpu.nvidia.com", "n1", "gpu-0"), "GPU-a",
                    new DeviceName("gpu.nvidia.com", "n1", "gpu-1-mig-0"), "GPU-b"),
                Set.of(),
                Set.of()));
  }

  /** [resource.k8s.io/v1 of 1.34 and newer, DRAConsumableCapacity]. */
  @Test
  void readsWhichGpusSeveralClaimsMayHave() {
    String slice =
        SLICE
            .replace(
                "{\"name\": \"gpu-0\",",
                "{\"name\": \"gpu-0\", \"allowMultipleAllocations\": true,"
                    + " \"capacity\": {\"memory\": {\"value\": \"80Gi\"}},")
            .replace(
                "{\"name\": \"gpu-1-mig-0\",",
                "{\"name\": \"gpu-1-mig-0\", \"allowMultipleAllocations\": true,");

    assertThat(DeviceReader.slice(Manifests.json(slice)))
        .map(PublishedDevices::divisible)
        .contains(Set.of("GPU-a"));
  }

  /** As NVIDIA's driver publishes partitions with its gate DynamicMIG. */
  @Test
  void readsTheProfilesOfMigDevices() {
    String mig =
        """
        {"name": "gpu-1-mig-%s", "attributes": {"type": {"string": "mig"},
         "parentUUID": {"string": "GPU-b"}, "profile": {"string": "%s"},
         "productName": {"string": "NVIDIA A100-SXM4-40GB"}},
         "capacity": {"memory": {"value": "%s"}, "multiprocessors": {"value": "14"}},
         "consumesCounters": [{"counterSet": "gpu-1-counter-set",
          "counters": {"memory-slice-0": {"value": "1"}}}]}
        """;
    String devices =
        mig.formatted("a", "1g.5gb", "4864Mi")
            + ","
            + mig.formatted("b", "1g.5gb", "4864Mi")
            + ","
            + mig.formatted("c", "1g.10gb+me", "9856Mi")
            + ","
            + mig.formatted("d", "' || true || '", "9856Mi")
            + ","
            + mig.formatted("e", "2g.10gb", "much")
            + ","
            + mig.formatted("f", "8g.10gb", "9856Mi");
    String slice = SLICE.replace("\"devices\": [", "\"devices\": [" + devices + ",");

    assertThat(DeviceReader.slice(Manifests.json(slice)))
        .map(PublishedDevices::profiles)
        .contains(
            Set.of(
                new MigProfile("NVIDIA A100-SXM4-40GB", "1g.5gb", 1, MemorySize.ofMiB(4864)),
                new MigProfile("NVIDIA A100-SXM4-40GB", "1g.10gb+me", 1, MemorySize.ofMiB(9856))));
  }

  @Test
  void readsWhichDevicesAClaimHasAPartOf() {
    String spec =
        "\"spec\": {\"devices\": {\"requests\": [{\"name\": \"gpu\", \"exactly\":"
            + " {\"capacity\": {\"requests\": {\"memory\": \"1Gi\"}}}}]}}, \"status\"";
    String result = "\"device\": \"gpu-0\", \"request\": \"%s\"";
    DeviceName device = new DeviceName("gpu.nvidia.com", "n1", "gpu-0");

    assertThat(DeviceReader.claim(withSpec(spec, result.formatted("gpu"))))
        .map(ClaimedDevices::parts)
        .contains(Set.of(device));
    assertThat(DeviceReader.claim(withSpec(spec, result.formatted("other"))))
        .map(ClaimedDevices::parts)
        .contains(Set.of());
  }

  private static JsonNode withSpec(String spec, String result) {
    return Manifests.json(allocated(result).toString().replaceFirst("\"status\"", spec));
  }

  @Test
  void slicesOfNoNodeAndOfNoGpuDoNotMatter() {
    assertThat(DeviceReader.slice(Manifests.json(SLICE.replace("nodeName", "allNodes")))).isEmpty();
    assertThat(DeviceReader.slice(Manifests.json("{\"metadata\": {\"name\": \"s\"}}"))).isEmpty();
    assertThat(DeviceReader.slice(Manifests.json(SLICE.replace("GPU-", "TPU-")))).isEmpty();
  }

  @Test
  void administrativeAccessTakesNoDevice() {
    assertThat(DeviceReader.claim(allocated("\"adminAccess\": true, \"device\": \"gpu-0\"")))
        .isEmpty();
    assertThat(DeviceReader.claim(allocated("\"device\": \"gpu-0\""))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"device\": 7", "\"request\": \"x\"", "\"device\": null"})
  void namesAnAllocationWithoutADevice(String result) {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> DeviceReader.claim(allocated(result)))
        .withMessageContaining("device");
  }

  private static JsonNode allocated(String result) {
    return Manifests.json(
        """
        {"metadata": {"name": "c", "namespace": "team-a"}, "status": {"allocation": {"devices":
         {"results": [{"driver": "gpu.nvidia.com", "pool": "n1", %s}]}}}}
        """
            .formatted(result));
  }
}
