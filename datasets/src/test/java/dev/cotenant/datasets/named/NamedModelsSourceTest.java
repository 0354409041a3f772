package dev.cotenant.datasets.named;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamedModelsSourceTest {
  private static final String HEADER =
      "source,gpu,mode,model,dataset,batch,precision,util_pct,util_definition,peak_mem_mib,note";
  private static final String NVML = "\"nvml gpu util, steady mean, median over 3 runs\"";
  private static final String GOOD =
      "SPREAD,RTX2080Ti,train,ResNet18,,16,fp32,69.0," + NVML + ",1817.5,";

  @TempDir Path folder;

  @Test
  void readsARunWhoseNetworkIsKnown() throws IOException {
    ProfileSource.Result result = read(LicenceScope.COMMERCIAL, GOOD);

    assertThat(result.rejected()).isEmpty();
    ProfileRow row = result.rows().getFirst();
    assertThat(result.rows())
        .containsExactly(
            new ProfileRow(
                "named-models/SPREAD:2",
                "resnet",
                "resnet18",
                row.features(),
                RunSettings.DEFAULT,
                DeviceCatalogue.builtIn().require("rtx-2080ti").id(),
                Measurement.NONE
                    .withUtilization(Utilization.ofPercent(69))
                    .withPeakMemory(MemorySize.ofBytes(1817L * 1024 * 1024 + 512 * 1024)),
                Licence.NONE_STATED,
                ProfileRow.Quality.CLEAN));
    assertThat(row.features().batchSize()).isEqualTo(16);
    assertThat(row.features().multiplyAccumulates()).isEqualTo(16 * 1_814_073_344L);
    assertThat(row.features().parameters()).isEqualTo(11_684_712);
    assertThat(row.features().layers().convolution()).isEqualTo(20);
  }

  @Test
  void leavesPeakMemoryOpenWhereNoneWasMeasured() throws IOException {
    ProfileSource.Result result = read(LicenceScope.COMMERCIAL, GOOD.replace("1817.5", ""));

    assertThat(result.rows()).singleElement().extracting(ProfileRow::peakMemory).isNull();
  }

  @Test
  void readsNonCommercialSourcesOnlyWhenAskedTo() throws IOException {
    String lucid =
        "Lucid,(paper: RTX3090),train,ResNet50,ImageNet,64,amp,97.1,nvidia-smi gpu_util mean,9000,";

    assertThat(read(LicenceScope.COMMERCIAL, lucid).rejected())
        .singleElement()
        .asString()
        .endsWith(
            "runs.csv:2: the licence of Lucid is non-commercial; read with scope ANY to"
                + " evaluate");
    assertThat(read(LicenceScope.ANY, lucid).rows())
        .singleElement()
        .satisfies(row -> {
          assertThat(row.settings().precision()).isEqualTo(Precision.AMP);
          assertThat(row.device().value()).isEqualTo("rtx-3090");
          assertThat(row.topology()).isEqualTo("resnet50");
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "train -> tuning -> mode 'tuning' is not train or inference",
        "nvml gpu util, steady mean -> a guess -> which is none of those that are read",
        "SPREAD -> Elsewhere -> the licence of source 'Elsewhere' is not known",
        "ResNet18 -> ResNet19 -> the zoo has no graph for 'ResNet19'",
        "ResNet18 -> HarDNet -> measure alike, so which network it was is open",
        "ResNet18 -> YoloV5S -> its input size is not published",
        "RTX2080Ti -> RTX9999 -> unknown gpu 'RTX9999'",
        "fp32 -> int8 -> precision 'int8' is not fp32 or amp",
        ",16, -> ,0, -> batch '0' is not a whole number from 1",
        ",16, -> ,99999999999, -> batch '99999999999' is not a whole number from 1",
        ",69.0, -> ,NaN, -> util_pct 'NaN' is not a number from 0 to 100",
        ",69.0, -> ,-1, -> util_pct '-1' is not a number from 0 to 100",
        ",69.0, -> ,100.5, -> util_pct '100.5' is not a number from 0 to 100",
        "1817.5 -> 1e99 -> peak_mem_mib '1e99' is not a number from 0 to 16777216",
        "1817.5 -> 1817.5,, -> the row has 13 cells, not 11",
      })
  void saysWhyARowIsLeftOut(String old, String changed, String reason) throws IOException {
    ProfileSource.Result result =
        read(LicenceScope.COMMERCIAL, GOOD, GOOD.replace(old, changed), GOOD);

    assertThat(result.rows()).hasSize(2);
    assertThat(result.rejected())
        .singleElement()
        .asString()
        .startsWith(folder.resolve("runs.csv") + ":3: ")
        .contains(reason)
        .doesNotContain("\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "'' -> data-columns -> runs.csv:1: these columns are missing: source, gpu,",
        "a,b,c -> data-columns -> runs.csv:1: these columns are missing: source, gpu,",
      })
  void refusesAFileOfAnotherFormat(String content, String code, String message) throws IOException {
    Path file = Files.writeString(folder.resolve("runs.csv"), content);

    assertThatThrownBy(() -> source(file, LicenceScope.ANY).read())
        .isInstanceOfSatisfying(InputException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  @Test
  void refusesAMissingABinaryAndABrokenFile() throws IOException {
    Path binary = Files.write(folder.resolve("b.csv"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    Path broken = Files.writeString(folder.resolve("c.csv"), HEADER + "\nSPREAD,\"open");

    assertThatThrownBy(() -> source(folder.resolve("a.csv"), LicenceScope.ANY).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("a.csv does not exist");
    assertThatThrownBy(() -> source(folder, LicenceScope.ANY).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("cannot be read");
    assertThatThrownBy(() -> source(binary, LicenceScope.ANY).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("b.csv cannot be read (it is not UTF-8 text)");
    assertThat(source(broken, LicenceScope.ANY).read().rejected())
        .singleElement()
        .asString()
        .contains("c.csv:2: ", "quotation mark");
  }

  /** Which utilization a row holds is kept apart. */
  @Test
  void putsEachUtilizationWhereItBelongs() throws IOException {
    ProfileSource.Result read =
        read(
            LicenceScope.COMMERCIAL,
            "alnair,P100 (Colab),train,ResNet50,GTSRB,32,,73,max GPU util % (MGUP),,mem 53.78",
            "glet,RTX 3080,inference,vgg16,,8,fp32,43.36,\"Nsight SM util, kernel-time"
                + " weighted\",,");

    assertThat(read.rejected()).isEmpty();
    ProfileRow alnair = read.rows().getFirst();
    assertThat(alnair.measurement())
        .isEqualTo(Measurement.NONE.withMaximumUtilization(Utilization.ofPercent(73)));
    assertThat(alnair.settings().mode()).isEqualTo(ExecutionMode.INFERENCE);
    assertThat(alnair.licence()).isEqualTo(Licence.APACHE_2);
    ProfileRow glet = read.rows().getLast();
    assertThat(glet.measurement())
        .isEqualTo(Measurement.NONE.withSmActivity(Utilization.ofPercent(43.36)));
    assertThat(glet.device().value()).isEqualTo("rtx-3080");
  }

  /**
   * The public table has 375 rows. Of SPREAD's 92, 27 are of one of three networks that measure
   * alike or of YOLOv5s; of alnair's 49, 18 are half frozen, simulated or of NASNet; all of
   * gpu-lets' 180 and 48 of Lucid's 54 can be used.
   */
  @Test
  void accountsForEveryRowOfThePublicTable() {
    Path table = OutsideData.require("data/gpu_util_named_models.csv");

    ProfileSource.Result commercial = source(table, LicenceScope.COMMERCIAL).read();
    ProfileSource.Result any = source(table, LicenceScope.ANY).read();

    assertThat(bySource(any))
        .isEqualTo(Map.of("Lucid", 48, "SPREAD", 65, "alnair", 31, "glet", 180));
    assertThat(bySource(commercial)).isEqualTo(Map.of("SPREAD", 65, "alnair", 31, "glet", 180));
    assertThat(commercial.rows().size() + commercial.rejected().size()).isEqualTo(375);
    assertThat(any.rows().size() + any.rejected().size()).isEqualTo(375);
    assertThat(commercial.sha256()).hasSize(64).isEqualTo(any.sha256());
  }

  private static Map<String, Integer> bySource(ProfileSource.Result read) {
    return read.rows().stream()
        .collect(
            Collectors.toMap(
                row -> row.source().substring("named-models/".length(), row.source().indexOf(':')),
                _ -> 1,
                Integer::sum));
  }

  private ProfileSource.Result read(LicenceScope scope, String... rows) throws IOException {
    Path file = folder.resolve("runs.csv");
    Files.writeString(file, HEADER + "\n" + String.join("\n", List.of(rows)) + "\n");
    return source(file, scope).read();
  }

  private static NamedModelsSource source(Path file, LicenceScope scope) {
    return new NamedModelsSource(file, scope);
  }
}
