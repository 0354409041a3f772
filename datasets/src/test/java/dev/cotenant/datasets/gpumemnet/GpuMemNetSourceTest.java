package dev.cotenant.datasets.gpumemnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.testing.OutsideData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuMemNetSourceTest {
  private static final String HEADER =
      "source,topology,convolution_layers,linear_layers,activation_layers,batchnorm_layers,dropout_layers,other_layers,parameters,input_elements,macs_per_sample,activation_elements,batch_size,suspected_crash,gpu_utilization_percent,peak_memory_mib,layers\n";
  private static final String ROW =
      "mlp2,pyramid,0,3,2,2,1,1,1000,12,900,50,8,0,36.5,1475,\"[['lin',629],['act',629]]\"\n";

  @TempDir Path folder;

  private ProfileSource.Result read(String text) throws IOException {
    return read(text.getBytes(StandardCharsets.UTF_8));
  }

  private ProfileSource.Result read(byte[] bytes) throws IOException {
    Path file = folder.resolve("runs.csv");
    Files.write(file, bytes);
    return new GpuMemNetSource(file).read();
  }

  @Test
  void readsARowAsDocumented() throws IOException {
    ProfileRow row = read(HEADER + ROW).rows().getFirst();
    assertThat(row.source()).isEqualTo("gpumemnet:2");
    assertThat(row.family()).isEqualTo("mlp");
    assertThat(row.topology()).isEqualTo("mlp2/pyramid");
    assertThat(row.device().value()).isEqualTo("a100-40gb");
    assertThat(row.features())
        .isEqualTo(
            new ModelFeatures(
                new LayerCounts(0, 3, 2, 4), // 2 + 1 + 1 other
                2,
                1000,
                MemorySize.ofBytes(4000),
                7200, // 900 × 8
                MemorySize.ofBytes(1600), // 50 × 4 bytes × 8
                MemorySize.ofBytes(384), // 12 × 4 bytes × 8
                8));
    assertThat(row.utilization()).isEqualTo(Utilization.ofPercent(36.5));
    assertThat(row.peakMemory()).isEqualTo(MemorySize.ofMiB(1475));
    assertThat(row.quality()).isEqualTo(Quality.CLEAN);
  }

  @Test
  void keepsSuspectedCrashesWithTheirMark() throws IOException {
    assertThat(read(HEADER + ROW.replace(",8,0,36.5", ",8,1,3.5")).rows().getFirst().quality())
        .isEqualTo(Quality.SUSPECTED_CRASH);
  }

  @Test
  void findsColumnsByNameAndIgnoresOthers() throws IOException {
    String swapped = "extra,topology,source," + HEADER.substring("source,topology,".length());
    String row = "x,pyramid,mlp2," + ROW.substring("mlp2,pyramid,".length());
    assertThat(read(swapped + row).rows().getFirst().topology()).isEqualTo("mlp2/pyramid");
  }

  @Test
  void readsSharesOfMultiprocessorsWhereTheTableHasThem() throws IOException {
    String header = HEADER.replace(",layers", ",sm_active,sm_occupancy,layers");
    ProfileRow row = read(header + ROW.replace(",1475,", ",1475,0.25,0.0625,")).rows().getFirst();
    assertThat(row.measurement().smActivity()).isEqualTo(Utilization.ofPercent(25));
    assertThat(row.measurement().smOccupancy()).isEqualTo(Utilization.ofPercent(6.25));
    assertThat(read(HEADER + ROW).rows().getFirst().measurement().smActivity()).isNull();
  }

  @Test
  void readsGzipAndHashesTheFileAsItIs() throws IOException, NoSuchAlgorithmException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write((HEADER + ROW).getBytes(StandardCharsets.UTF_8));
    }
    ProfileSource.Result result = read(packed.toByteArray());
    assertThat(result.rows()).isEqualTo(read(HEADER + ROW).rows());
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(packed.toByteArray());
    assertThat(result.sha256()).isEqualTo(HexFormat.of().formatHex(digest));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "mlp2,pyramid; rnn,pyramid; source 'rnn' is not mlp1, mlp2 or cnn",
        ",8,0,36.5; ,0,0,36.5; batch_size '0' is not a whole number from 1",
        ",8,0,36.5; ,8,2,36.5; suspected_crash '2'",
        ",36.5,; ,NaN,; gpu_utilization_percent 'NaN' is not a number from 0 to 100",
        ",36.5,; ,100.5,; gpu_utilization_percent '100.5'",
        ",36.5,; ,high,; gpu_utilization_percent 'high'",
        ",36.5,; ,,; gpu_utilization_percent is empty",
        ",1475,; ,0,; peak_memory_mib '0'",
        ",1475,; ,1e3,; peak_memory_mib '1e3'",
        ",1000,12,; ,-1,12,; parameters '-1'",
        ",12,900,; ,12,9223372036854775807,; macs_per_sample '9223372036854775807'",
        ",1000,12,; ,9223372036854775807,12,; parameters '9223372036854775807'",
        ",3,2,2,; ,3,2147483647,2,; activation_layers '2147483647'",
      })
  void rejectsABadRowWithLineAndReasonAndReadsOn(String good, String bad, String reason)
      throws IOException {
    assertThat(ROW).contains(good);
    ProfileSource.Result result =
        read(HEADER + ROW + ROW.replaceFirst(Pattern.quote(good), bad) + ROW);
    assertThat(result.rows()).hasSize(2);
    assertThat(result.rejected())
        .singleElement()
        .asString()
        .startsWith(folder.resolve("runs.csv") + ":3: ")
        .contains(reason);
  }

  @Test
  void rejectsARowThatEndsEarly() throws IOException {
    ProfileSource.Result result = read(HEADER + "mlp1,uniform,0\n");
    assertThat(result.rows()).isEmpty();
    assertThat(result.rejected()).singleElement().asString().contains(":2: the row ends before");
  }

  @ParameterizedTest
  @CsvSource({"'',source", "'hello\n',source", "'source,topology\na,b\n',batch_size"})
  void namesMissingColumns(String text, String missing) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> {
              assertThat(e.code()).isEqualTo("data-columns");
              assertThat(e.getMessage()).contains("runs.csv:1", missing);
            });
  }

  @Test
  void refusesWhatIsNotCsv() throws IOException {
    assertThat(read(HEADER + "mlp1,\"unclosed").rejected())
        .singleElement()
        .asString()
        .contains("runs.csv:2: ", "quotation mark");
    byte[] notGzip = {0x1f, (byte) 0x8b, 1, 2, 3};
    assertThatThrownBy(() -> read(notGzip)).isInstanceOf(InputException.class);
    byte[] binary = new byte[5000];
    Arrays.fill(binary, (byte) 0xfe);
    assertThatThrownBy(() -> read(binary)).isInstanceOf(InputException.class);
  }

  @Test
  void namesAFileThatIsMissingOrAFolder() {
    assertThatThrownBy(() -> new GpuMemNetSource(folder.resolve("none.csv")).read())
        .isInstanceOfSatisfying(
            InputException.class,
            e -> assertThat(e.kind()).isEqualTo(InputException.Kind.NOT_FOUND));
    assertThatThrownBy(() -> new GpuMemNetSource(folder).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining(folder.toString());
  }

  @Test
  void readsThePublishedTable() {
    Path file = OutsideData.require("data/gpumemnet/runs.csv.gz");
    ProfileSource.Result result = new GpuMemNetSource(file).read();
    assertThat(result.rejected()).isEmpty();
    assertThat(result.rows()).hasSize(5355);
    assertThat(result.rows().stream().filter(row -> row.quality() == Quality.SUSPECTED_CRASH))
        .hasSize(44);
    assertThat(result.rows().stream().filter(row -> row.family().equals("cnn"))).hasSize(543);
    assertThat(result.rows().stream().map(ProfileRow::peakMemory).filter(Objects::nonNull))
        .hasSize(5355);
    assertThat(
            result.rows().stream()
                .map(row -> row.measurement().smActivity())
                .filter(Objects::nonNull))
        .hasSizeGreaterThan(5300);
  }
}
