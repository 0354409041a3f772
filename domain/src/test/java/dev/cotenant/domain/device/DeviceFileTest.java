package dev.cotenant.domain.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceFileTest {
  private static final String A30 =
      "a30,A30,24576,10.3,,82,165,165,933,56,24576,165,A30 data sheet, Ampere whitepaper";

  @TempDir Path folder;

  private DeviceFile file(String... lines) throws IOException {
    return new DeviceFile(Files.writeString(folder.resolve("gpus.csv"), String.join("\n", lines)));
  }

  @Test
  void readsADeviceAndSkipsBlankLinesAndComments() throws IOException {
    List<Device> devices =
        file("\uFEFF" + DeviceCatalogueRow.HEADER, "", "# our cluster", A30, "").read();

    assertThat(devices)
        .containsExactly(
            new Device(
                new DeviceId("a30"),
                "A30",
                MemorySize.ofGiB(24),
                new PeakRates(
                    Map.of(
                        Precision.FP32, 10.3,
                        Precision.TF32, 82.0,
                        Precision.FP16, 165.0,
                        Precision.BF16, 165.0)),
                933,
                56,
                MemorySize.ofMiB(24),
                165,
                "A30 data sheet, Ampere whitepaper"));
  }

  @Test
  void readsFilesWithoutTheColumnOfFp32Matrices() throws IOException {
    String header = DeviceCatalogueRow.HEADER.replace("fp32_matrix_teraflops,", "");

    assertThat(file(header, A30.replace("10.3,,", "10.3,")).read())
        .isEqualTo(file(DeviceCatalogueRow.HEADER, A30).read());
  }

  @Test
  void readsTheRateOfFp32MatricesWhereItIsStated() throws IOException {
    PeakRates peak =
        file(DeviceCatalogueRow.HEADER, A30.replace("10.3,,", "10.3,20.6,"))
            .read()
            .getFirst()
            .peak();

    assertThat(peak.teraflops(Precision.FP32)).isEqualTo(10.3);
    assertThat(peak.matrixTeraflops(Precision.FP32)).isEqualTo(20.6);
    assertThat(peak.matrixTeraflops(Precision.FP16)).isEqualTo(165);
    assertThatThrownBy(
            () -> file(DeviceCatalogueRow.HEADER, A30.replace("10.3,,", "10.3,x,")).read())
        .hasMessageContaining("fp32_matrix_teraflops 'x'");
  }

  @Test
  void addsToTheCatalogueAndReplacesWhatHasTheSameId() throws IOException {
    DeviceCatalogue catalogue =
        DeviceCatalogue.builtIn()
            .plus(
                file(DeviceCatalogueRow.HEADER, A30, A30.replace("a30,A30", "t4,T4 slow")).read());

    assertThat(catalogue.devices()).hasSameSizeAs(DeviceCatalogue.builtIn().devices());
    assertThat(catalogue.require("a30").peak().teraflops(Precision.FP32)).isEqualTo(10.3);
    assertThat(catalogue.require("t4").productName()).isEqualTo("T4 slow");
    assertThat(catalogue.require("v100").id().value()).isEqualTo("v100-16gb");
  }

  @Test
  void readsWhatItWrites() throws IOException {
    List<Device> builtIn = List.copyOf(DeviceCatalogue.builtIn().devices());

    assertThat(file(DeviceFile.write(builtIn).toArray(String[]::new)).read()).isEqualTo(builtIn);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '`',
      value = {
        "a30,A30 -> A30,A30 -> value must be lower-case letters, digits and hyphens",
        "a30,A30 -> a30, -> product_name is empty",
        ",24576,10.3 -> ,0,10.3 -> memory_mib '0' is not a whole number from 1",
        ",24576,10.3 -> ,24GB,10.3 -> memory_mib '24GB' is not a whole number",
        ",24576,10.3 -> ,99999999999,10.3 -> memory_mib '99999999999' is not a whole number",
        "10.3 -> 0 -> fp32_teraflops '0' is not a number above 0",
        "10.3 -> -1 -> fp32_teraflops '-1' is not a number above 0",
        "10.3 -> NaN -> fp32_teraflops 'NaN' is not a number above 0",
        "10.3 -> 1e3 -> fp32_teraflops '1e3' is not a number above 0",
        ",56, -> ,5.5, -> streaming_multiprocessors '5.5' is not a whole number",
        "933,56 -> 933 -> board_power_watts 'A30 data sheet' is not a number above 0",
        ",165,A30 data sheet, Ampere whitepaper -> `` -> the line has 11 columns instead of 13",
        ",A30 data sheet, Ampere whitepaper -> , -> source is empty",
      })
  void saysWhatIsWrongWithALine(String from, String to, String reason) throws IOException {
    DeviceFile file = file(DeviceCatalogueRow.HEADER, A30.replace(from, to));

    assertThatThrownBy(file::read)
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("devices-malformed"))
        .hasMessageStartingWith(folder.resolve("gpus.csv") + ":2: ")
        .hasMessageContaining(reason);
  }

  @Test
  void refusesOneIdTwice() throws IOException {
    DeviceFile file = file(DeviceCatalogueRow.HEADER, A30, "#", A30);

    assertThatThrownBy(file::read).hasMessageContaining(":4: 'a30' stands in the file twice");
  }

  @Test
  void refusesOtherFiles() throws IOException {
    assertThatThrownBy(file("")::read).hasMessageContaining(":1: the columns must be id,product");
    assertThatThrownBy(file("id,name", "x,y")::read).hasMessageContaining(":1: the columns must");
    assertThatThrownBy(new DeviceFile(folder.resolve("none"))::read)
        .isInstanceOfSatisfying(
            InputException.class,
            e -> assertThat(e.kind()).isEqualTo(InputException.Kind.NOT_FOUND));
    Path binary = Files.write(folder.resolve("b"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    assertThatThrownBy(new DeviceFile(binary)::read).hasMessageContaining("as text in UTF-8");
    assertThatThrownBy(new DeviceFile(folder)::read).isInstanceOf(InputException.class);
    Path large = Files.write(folder.resolve("large"), new byte[(1 << 20) + 1]);
    assertThatThrownBy(new DeviceFile(large)::read).hasMessageContaining("larger than 1 MiB");
  }
}
