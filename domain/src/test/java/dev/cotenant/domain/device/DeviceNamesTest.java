package dev.cotenant.domain.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceNamesTest {
  private final DeviceNames names = DeviceCatalogue.builtIn().names();

  @ParameterizedTest
  @CsvSource({
    "NVIDIA A100-SXM4-40GB, 40400, a100-40gb",
    "NVIDIA A100-SXM4-80GB, 81000, a100-80gb",
    "NVIDIA A100 80GB PCIe, 81000, a100-pcie-80gb",
    "NVIDIA-A100-PCIE-40GB, 40400, a100-pcie-40gb",
    "Tesla V100-PCIE-32GB, 32480, v100-pcie-32gb",
    "NVIDIA A10G, 22700, a10g",
    "NVIDIA-GeForce-RTX-4090, 24200, rtx-4090",
    "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition, 97800, rtx-pro-6000",
    "NVIDIA RTX 6000 Ada Generation, 48500, rtx-6000-ada",
    "NVIDIA RTX A6000, 48500, rtx-a6000",
    "NVIDIA GH200 480GB, 97800, gh200-96gb",
    "NVIDIA GH200 144G HBM3e, 146000, gh200-144gb",
    "NVIDIA H100 PCIe, 81000, h100-pcie-80gb",
    "NVIDIA H100 NVL, 95800, h100-nvl-94gb",
    "NVIDIA H20, 97800, h20",
    "AMD_Instinct_MI250, 65500, mi250",
    "AMD_Instinct_MI300X_OAM, 196000, mi300x",
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
  @CsvSource({
    "NVIDIA A100X9, 100",
    "'', 100",
    "Quadro RTX 6000, 24000",
    "Tesla T4, 900000",
    "NVIDIA GeForce RTX 4090 Laptop GPU, 16000",
    "NVIDIA GeForce RTX 4080 SUPER, 16000",
    "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition, 97800"
  })
  void knowsNoOthers(String name, long usableMib) {
    assertThat(names.find(name, MemorySize.ofMiB(usableMib))).isEmpty();
  }
}
