package dev.cotenant.domain.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceCatalogueTest {
  private final DeviceCatalogue catalogue = DeviceCatalogue.builtIn();

  @Test
  void knowsEveryDocumentedDeviceInOrder() {
    assertThat(catalogue.devices())
        .extracting(device -> device.id().value())
        .containsExactly(
            "k80",
            "p100-16gb",
            "v100-16gb",
            "v100-32gb",
            "t4",
            "rtx-1080",
            "rtx-2080",
            "rtx-2080ti",
            "rtx-3080",
            "rtx-3090",
            "a10",
            "a100-40gb",
            "a100-80gb",
            "l4",
            "l40s",
            "h100-80gb",
            "h200-141gb",
            "b200");
  }

  @Test
  void readsANumberOfEveryColumn() {
    Device a100 = catalogue.require("a100-40gb");

    assertThat(a100.memory()).isEqualTo(MemorySize.ofGiB(40));
    assertThat(a100.peak().teraflops(Precision.FP32)).isEqualTo(19.5);
    assertThat(a100.peak().teraflops(Precision.TF32)).isEqualTo(156);
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
      assertThat(peak.fp32Teraflops()).as(device.id().value()).isBetween(4.0, 100.0);
      assertThat(peak.tf32Teraflops()).isGreaterThanOrEqualTo(peak.fp32Teraflops());
      assertThat(peak.fp16Teraflops()).isGreaterThanOrEqualTo(peak.tf32Teraflops());
      assertThat(peak.bf16Teraflops()).isBetween(peak.fp32Teraflops(), peak.fp16Teraflops());
      assertThat(device.bandwidthGigabytesPerSecond()).isBetween(200.0, 8_000.0);
      assertThat(device.streamingMultiprocessors()).isBetween(10, 200);
      assertThat(device.boardPowerWatts()).isBetween(70.0, 1_000.0);
      double gigaflopsPerMultiprocessor =
          1000 * peak.fp32Teraflops() / device.streamingMultiprocessors();
      assertThat(gigaflopsPerMultiprocessor).as(device.id().value()).isBetween(150.0, 700.0);
    }
  }

  @Test
  void givesTheSmallerDeviceForAnAlias() {
    assertThat(catalogue.require("v100").id().value()).isEqualTo("v100-16gb");
    assertThat(catalogue.require("a100").id().value()).isEqualTo("a100-40gb");
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
}
