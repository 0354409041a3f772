package dev.cotenant.datasets.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.datasets.steptime.StepTimeSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.zoo.ModelZoo;
import dev.cotenant.zoo.layers.InputShape;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectorSourceTest {
  private static final String HEADER = String.join(",", CollectedRun.COLUMNS) + ",step_p50_seconds";
  private static final String GRAPH = "graphs/resnet18.own.onnx.gz";
  private static final String GOOD =
      "s1,h200-141gb,resnet18,resnet,16,inference,bf16,closed,ok,,"
          + GRAPH
          + ",150,87.5,1048576,0.02";

  @TempDir Path folder;

  @BeforeEach
  void writeGraph() throws IOException {
    write(GRAPH, ModelZoo.build("resnet18", InputShape.Image.square(224)));
  }

  @Test
  void readsARunWithItsGraph() throws IOException {
    ProfileSource.Result result = read(GOOD);

    assertThat(result.rejected()).isEmpty();
    ProfileRow row = result.rows().getFirst();
    assertThat(result.rows())
        .containsExactly(
            new ProfileRow(
                "collector/s1:2",
                "resnet",
                "resnet18",
                row.features(),
                RunSettings.of(ExecutionMode.INFERENCE, Precision.BF16),
                new DeviceId("h200-141gb"),
                Measurement.NONE
                    .withUtilization(Utilization.ofPercent(87.5))
                    .withPeakMemory(MemorySize.ofMiB(1))
                    .withStepTime(Duration.ofMillis(20)),
                Licence.OWN,
                ProfileRow.Quality.CLEAN));
    assertThat(row.features().multiplyAccumulates()).isEqualTo(16 * 1_814_073_344L);
    assertThat(row.features().batchSize()).isEqualTo(16);
  }

  @ParameterizedTest
  @CsvSource({"fp32, FP32", "tf32, TF32", "fp16, AMP", "bf16, AMP_BF16"})
  void halfPrecisionOfTrainingIsMixed(String written, Precision precision) throws IOException {
    String training = GOOD.replace("inference,bf16", "training," + written);

    assertThat(read(training).rows().getFirst().settings())
        .isEqualTo(RunSettings.of(ExecutionMode.TRAINING, precision));
  }

  @ParameterizedTest
  @CsvSource({
    "2.11.0+cu130, PYTORCH_2",
    "1.13.1, PYTORCH_2",
    "1.12.1+cu116, PYTORCH_1",
    "main, PYTORCH",
  })
  void takesPyTorchsReleaseFromTheSessionsSheet(String version, Framework expected)
      throws IOException {
    sheet("s1", "{\"software\": {\"torch\": \"" + version + "\"}}");

    assertThat(read(GOOD).rows().getFirst().settings().framework()).isEqualTo(expected);
  }

  @Test
  void aSheetThatIsNoneIsNamed() throws IOException {
    sheet("s1", "{");

    assertThat(read(GOOD, GOOD.replace("s1,", "s2,")).rows())
        .singleElement()
        .extracting(row -> row.settings().framework())
        .isEqualTo(Framework.PYTORCH);
    assertThat(read(GOOD).rejected())
        .singleElement()
        .asString()
        .contains("device/s1.json is not valid JSON");
  }

  @Test
  void aSessionIsNoPath() throws IOException {
    Files.createDirectories(folder.resolve("device"));
    sheet("../s1", "{\"software\": {\"torch\": \"2.11.0\"}}");

    assertThat(read(GOOD.replace("s1,", "../s1,")).rows().getFirst().settings().framework())
        .isEqualTo(Framework.PYTORCH);
  }

  @Test
  void readsStepTimesOfTheSameRuns() throws IOException {
    String untimed = GOOD.substring(0, GOOD.lastIndexOf(',') + 1);
    read(GOOD, untimed, GOOD.replace("h200-141gb", "h999"), GOOD.replace(",ok,", ",timeout,"));

    StepTimeSource.Result result = new CollectorStepTimeSource(folder).read();

    StepTimeRun run = result.runs().getFirst();
    assertThat(result.runs()).hasSize(1);
    assertThat(run.seconds()).isEqualTo(0.02);
    assertThat(run.work().batch()).isEqualTo(16);
    assertThat(run.work().macs()).isEqualTo(1_814_073_344.0);
    assertThat(run.part().device().id()).isEqualTo(new DeviceId("h200-141gb"));
    assertThat(run.settings().precision()).isEqualTo(Precision.BF16);
    assertThat(result.rejected())
        .satisfiesExactly(
            line -> assertThat(line).contains(":3: ").contains("no step time was measured"),
            line -> assertThat(line).contains("'h999' is not a device of the catalogue"),
            line -> assertThat(line).contains("timeout: "));
  }

  @Test
  void theProjectsOwnMeasurementsAreRead() throws IOException {
    try (Stream<Path> devices = Files.list(Path.of("measurements"))) {
      List<Path> folders = devices.toList();
      assertThat(folders).isNotEmpty();
      for (Path own : folders) {
        ProfileSource.Result runs = new CollectorSource(own).read();
        assertThat(runs.rejected()).isEmpty();
        assertThat(runs.rows())
            .allSatisfy(row -> assertThat(row.device().value()).isEqualTo(own.getFileName() + ""));
        assertThat(new CollectorStepTimeSource(own).read().runs()).hasSameSizeAs(runs.rows());
        assertThat(new CollectorPairsSource(own).read().rejected()).isEmpty();
        assertThat(new CollectorSeriesSource(own).read().rejected()).isEmpty();
        assertThat(own.resolve("README.md")).isNotEmptyFile();
      }
    }
  }

  private void sheet(String session, String text) throws IOException {
    Path sheet = folder.resolve("device").resolve(session + ".json");
    Files.createDirectories(sheet.getParent());
    Files.writeString(sheet, text);
  }

  @Test
  void leavesOpenWhatTheDeviceDoesNotTell() throws IOException {
    assertThat(read(GOOD.replace(",87.5,", ",,")).rows().getFirst().utilization()).isNull();
    assertThat(read(GOOD.replace("1048576", "")).rows().getFirst().peakMemory()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ok,,|out-of-memory,CUDA out of memory,|out-of-memory: CUDA out of memory",
        "closed|poisson:0.5|arrival is 'poisson:0.5': only runs in a closed loop",
        ",87.5,1048576|,,|neither utilization nor peak memory was measured",
        ",16,|,0,|batch_size '0' is not a whole number from 1 to 16777216",
        ",16,|,1e3,|batch_size '1e3' is not a whole number from 1 to 16777216",
        "inference|serving|Unknown mode 'serving'",
        "bf16|int8|Unknown precision 'int8'",
        "h200-141gb|H 200|device 'H 200' is not lower-case letters",
        "87.5|100.5|utilization_mean_percent '100.5' is not a number from 0 to 100",
        "87.5|NaN|utilization_mean_percent 'NaN' is not a number from 0 to 100",
        "150|9|samples '9' is not a whole number from 10",
        "1048576|-1|peak_memory_bytes '-1' is not a whole number from 1",
        "1048576|0|peak_memory_bytes '0' is not a whole number from 1",
        ",resnet,|,,|family is empty",
        "graphs/resnet18.own|graphs/other|graph graphs/other.onnx.gz is missing: 'collect.py"
            + " graphs'",
        "graphs/|../../|is not the path of an .onnx.gz file below the folder",
        ".onnx.gz|.onnx|is not the path of an .onnx.gz file below the folder",
        ",150,87.5,1048576,0.02|''|the row ends before column",
      })
  void saysWhyARowIsNotUsedAndGoesOn(String from, String to, String reason) throws IOException {
    ProfileSource.Result result = read(GOOD.replace(from, to == null ? "" : to), GOOD);

    assertThat(result.rows()).hasSize(1);
    assertThat(result.rejected())
        .singleElement()
        .asString()
        .startsWith(folder.resolve("solo.csv") + ":2: ")
        .contains(reason);
  }

  @Test
  void aGraphThatIsNoneIsNamed() throws IOException {
    write("graphs/resnet18.own.onnx.gz", "no graph".getBytes(StandardCharsets.UTF_8));

    assertThat(read(GOOD).rejected()).singleElement().asString().contains("graph " + GRAPH);

    Files.writeString(folder.resolve(GRAPH), "not even compressed");

    assertThat(read(GOOD).rejected())
        .singleElement()
        .asString()
        .contains("graph " + GRAPH + " cannot be read");
  }

  @Test
  void theHashCoversTableAndGraphs() throws IOException {
    String before = read(GOOD).sha256();
    assertThat(read(GOOD).sha256()).isEqualTo(before).hasSize(64);
    assertThat(read(GOOD, GOOD).sha256()).isNotEqualTo(before);

    write(GRAPH, ModelZoo.build("resnet18", InputShape.Image.square(32)));

    assertThat(read(GOOD).sha256()).isNotEqualTo(before);
  }

  @Test
  void refusesAFolderWithoutTheTable() {
    assertThatThrownBy(() -> new CollectorSource(folder.resolve("none")).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("solo.csv does not exist");
  }

  @Test
  void refusesAnotherTable() throws IOException {
    Files.writeString(folder.resolve("solo.csv"), "session,device\n");

    assertThatThrownBy(() -> new CollectorSource(folder).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("solo.csv:1: these columns are missing")
        .hasMessageContaining("utilization_mean_percent");
  }

  @Test
  void refusesWhatIsNoText() throws IOException {
    Files.write(folder.resolve("solo.csv"), new byte[] {(byte) 0xff, (byte) 0xfe});

    assertThatThrownBy(() -> new CollectorSource(folder).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("it is not UTF-8 text");
  }

  private ProfileSource.Result read(String... rows) throws IOException {
    String text = HEADER + "\n" + String.join("\n", rows) + "\n";
    Files.writeString(folder.resolve("solo.csv"), text);
    return new CollectorSource(folder).read();
  }

  private void write(String name, byte[] content) throws IOException {
    Path path = folder.resolve(name);
    Files.createDirectories(path.getParent());
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(path))) {
      out.write(content);
    }
  }
}
