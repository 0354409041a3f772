package dev.cotenant.admission.kubernetes.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.domain.InputException;
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
                    new DeviceName("gpu.nvidia.com", "n1", "gpu-1-mig-0"), "GPU-b")));
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
