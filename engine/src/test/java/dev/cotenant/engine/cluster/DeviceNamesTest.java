package dev.cotenant.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceNamesTest {
  private final DeviceNames names = new DeviceNames(DeviceCatalogue.builtIn());

  @ParameterizedTest
  @CsvSource({
    "NVIDIA A100-SXM4-40GB, 40400, a100-40gb",
    "NVIDIA A100-SXM4-80GB, 81000, a100-80gb",
    "NVIDIA A100 80GB PCIe, 81000, a100-80gb",
    "Tesla V100-SXM2-16GB, 16150, v100-16gb",
    "Tesla V100-SXM2-32GB, 32480, v100-32gb",
    "Tesla T4, 15100, t4",
    "NVIDIA A10, 22700, a10",
    "NVIDIA L4, 22500, l4",
    "NVIDIA L40S, 45500, l40s",
    "NVIDIA GeForce RTX 2080 Ti, 11000, rtx-2080ti",
    "NVIDIA GeForce RTX 2080, 7900, rtx-2080",
    "NVIDIA GeForce RTX 3090, 24200, rtx-3090",
    "NVIDIA H100 80GB HBM3, 81000, h100-80gb",
    "NVIDIA H200, 143000, h200-141gb",
    "Tesla P100-PCIE-16GB, 16200, p100-16gb",
  })
  void recognisesWhatDriversReport(String name, long usableMib, String id) {
    assertThat(names.find(name, MemorySize.ofMiB(usableMib)))
        .map(device -> device.id().value())
        .contains(id);
  }

  @Test
  void recognisesTheCataloguesOwnNames() {
    for (Device device : DeviceCatalogue.builtIn().devices()) {
      assertThat(names.find(device.productName(), device.memory())).contains(device);
    }
  }

  @ParameterizedTest
  @CsvSource({"NVIDIA A100X9, 100", "'', 100", "NVIDIA A10G, 22700", "Tesla T4, 900000"})
  void knowsNoOthers(String name, long usableMib) {
    assertThat(names.find(name, MemorySize.ofMiB(usableMib))).isEmpty();
  }
}
