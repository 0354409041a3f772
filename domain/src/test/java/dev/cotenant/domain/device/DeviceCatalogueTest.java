package dev.cotenant.domain.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceCatalogueTest {
  private final DeviceCatalogue catalogue = DeviceCatalogue.builtIn();

  @Test
  void knowsEveryDocumentedDeviceInOrder() {
    assertThat(catalogue.devices())
        .extracting(device -> device.id().value())
        .containsExactly(
            "k80",
            "p4",
            "p40",
            "p100-16gb",
            "v100-16gb",
            "v100-32gb",
            "v100-pcie-16gb",
            "v100-pcie-32gb",
            "t4",
            "rtx-1080",
            "rtx-2080",
            "rtx-2080ti",
            "rtx-3080",
            "rtx-3090",
            "rtx-4080",
            "rtx-4090",
            "rtx-5080",
            "rtx-5090",
            "rtx-a6000",
            "rtx-6000-ada",
            "rtx-pro-6000",
            "a2",
            "a10",
            "a10g",
            "a16",
            "a30",
            "a40",
            "a100-40gb",
            "a100-80gb",
            "a100-pcie-40gb",
            "a100-pcie-80gb",
            "l4",
            "l40",
            "l40s",
            "h20",
            "h100-80gb",
            "h100-pcie-80gb",
            "h100-nvl-94gb",
            "h200-141gb",
            "gh200-96gb",
            "gh200-144gb",
            "b200",
            "mi100",
            "mi210",
            "mi250",
            "mi250x",
            "mi300x");
  }

  @Test
  void readsANumberOfEveryColumn() {
    Device a100 = catalogue.require("a100-40gb");

    assertThat(a100.memory()).isEqualTo(MemorySize.ofGiB(40));
    assertThat(a100.peak().teraflops(Precision.FP32)).isEqualTo(19.5);
    assertThat(a100.peak().teraflops(Precision.TF32)).isEqualTo(156);
    assertThat(a100.peak().matrixTeraflops(Precision.FP32)).isEqualTo(19.5);
    assertThat(catalogue.require("mi100").peak().matrixTeraflops(Precision.FP32)).isEqualTo(46.1);
    assertThat(a100.bandwidthGigabytesPerSecond()).isEqualTo(1555);
    assertThat(a100.streamingMultiprocessors()).isEqualTo(108);
    assertThat(a100.l2Cache()).isEqualTo(MemorySize.ofMiB(40));
    assertThat(a100.boardPowerWatts()).isEqualTo(400);
    assertThat(a100.source()).isNotBlank();
  }

  /** Wrong units or exchanged columns would show here. */
  @Test
  void holdsPlausibleNumbersOfEveryDevice() {
    for (Device device : catalogue.devices()) {
      PeakRates peak = device.peak();
      assertThat(device.source()).as(device.id().value()).isNotBlank();
      double fp32 = peak.teraflops(Precision.FP32);
      double fp16 = peak.teraflops(Precision.FP16);
      assertThat(fp32).as(device.id().value()).isBetween(4.0, 170.0);
      assertThat(peak.teraflops(Precision.TF32)).isBetween(fp32, fp16);
      assertThat(peak.teraflops(Precision.BF16)).isBetween(fp32, fp16);
      assertThat(device.bandwidthGigabytesPerSecond()).isBetween(190.0, 8_000.0);
      assertThat(device.streamingMultiprocessors()).isBetween(10, 304);
      assertThat(device.boardPowerWatts()).isBetween(60.0, 1_000.0);
      double gigaflopsPerMultiprocessor = 1000 * fp32 / device.streamingMultiprocessors();
      assertThat(gigaflopsPerMultiprocessor).as(device.id().value()).isBetween(150.0, 700.0);
    }
  }

  @Test
  void givesTheSmallerDeviceForAnAlias() {
    assertThat(catalogue.require("v100").id().value()).isEqualTo("v100-16gb");
    assertThat(catalogue.require("a100").id().value()).isEqualTo("a100-40gb");
  }

  @ParameterizedTest
  @CsvSource({
    "NVIDIA-A100-SXM4-80GB, a100-80gb",
    "NVIDIA A100-SXM4-40GB, a100-40gb",
    "H100, h100-80gb",
    "h200, h200-141gb",
    "Tesla V100-PCIE-32GB, v100-pcie-32gb",
    "NVIDIA GH200 480GB, gh200-96gb",
    "NVIDIA H200 141GB, h200-141gb",
  })
  void findsAProductNameOfTheStatedMemory(String name, String id) {
    assertThat(catalogue.require(name).id().value()).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a100-40gp",
        "a100-40",
        "h100-xyz",
        "l4-typo",
        "b200,t4",
        "all,t4",
        "b200 t4",
        "t4,"
      })
  void takesAMisspeltNameForNoOtherProduct(String name) {
    assertThat(catalogue.find(name)).isEmpty();
  }

  @Test
  void knowsEveryProductByItsOwnName() {
    for (Device device : catalogue.devices()) {
      assertThat(catalogue.find(device.productName())).as(device.productName()).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a100-41gb", "NVIDIA A100-SXM4-20GB", "t4-32gb"})
  void knowsNoProductOfAnotherMemory(String name) {
    assertThat(catalogue.find(name)).isEmpty();
  }

  @Test
  void namesTheKnownDevicesWhenOneIsUnknown() {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> catalogue.require("a1000"))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(InputException.Kind.INVALID_ARGUMENT))
        .satisfies(e -> assertThat(e.code()).isEqualTo("unknown-device"))
        .withMessageContaining("'a1000'")
        .withMessageContaining("a100-40gb");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A100", "a100 40gb", "-a100", "../a100"})
  void refusesIdsThatAreNone(String value) {
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceId(value));
  }

  @Test
  void namesThePrecisionsOfADeviceThatLacksOne() {
    Device v100 = DeviceCatalogue.builtIn().require("v100-16gb");
    assertThatThrownBy(() -> v100.requirePrecision(Precision.BF16))
        .hasMessage("The device v100-16gb does not compute bf16: it computes fp32, fp16, amp.");
    v100.requirePrecision(Precision.AMP);
  }
}
