package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetsCommandTest {
  private static final String RUNS =
      "family,device,batch_size,convolution_layers,linear_layers,activation_layers,other_layers,"
          + "normalization_layers,parameters,model_size_bytes,multiply_accumulates,"
          + "activation_bytes,input_bytes,utilization_percent,peak_memory_bytes\n";

  @Test
  void importsWhatItCanAndSaysWhyNotTheRest() {
    Path table = OutsideData.require("data/gpumemnet/runs.csv.gz");

    CommandRun run = CommandRun.of("datasets", "import", "gpumemnet", table);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("rows read").contains("rows rejected").contains("sha256");
  }

  @Test
  void importsAllThatTheCollectorWroteIntoAFolder(@TempDir Path folder) throws IOException {
    Files.createDirectories(folder.resolve("series"));
    Files.writeString(
        folder.resolve("pairs.csv"),
        """
        session,device,group,tenants,job,share_percent,status,message,solo_step_mean_seconds,step_mean_seconds
        s1,a10,g,2,resnet50/8/inference/fp32,40,ok,,0.01,0.0125
        s1,a10,g,2,vgg19/4/inference/fp32,60,ok,,0.02,0.021
        """);
    Files.writeString(
        folder.resolve("memory.csv"),
        """
        session,job,status,message,series
        s1,bert/8/training/fp16,ok,,series/bert.csv
        """);
    StringBuilder series =
        new StringBuilder("timestamp_seconds,used_memory_bytes,capacity_bytes\n");
    IntStream.range(0, 12).forEach(i -> series.append(i).append(",5,1000\n"));
    Files.writeString(folder.resolve("series/bert.csv"), series);

    CommandRun run = CommandRun.of("datasets", "import", "collector", folder, "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .satisfiesExactly(
            pairs -> assertThat(pairs).contains("\"collector-pairs\",\"rows\":2"),
            memory -> assertThat(memory).contains("\"collector-series\",\"rows\":1"));
  }

  /** As spreadsheets write it, with a mark of the byte order. */
  @Test
  void importsAPlainCsvOfMeasuredRuns(@TempDir Path folder) throws IOException {
    Path runs = folder.resolve("runs.csv");
    Files.writeString(runs, "\uFEFF" + RUNS + run("t4") + run("my-gpu"));

    JsonNode read = CommandRun.of("datasets", "import", "csv", runs, "--json").only();

    assertThat(read.get("format").asText()).isEqualTo("csv");
    assertThat(read.get("rows").asInt()).isEqualTo(1);
    assertThat(read.get("rejected")).singleElement().asString().contains(":3: ", "'my-gpu'");
  }

  @Test
  void readsRunsOnTheUsersOwnDevices(@TempDir Path folder) throws IOException {
    Path runs = Files.writeString(folder.resolve("runs.csv"), RUNS + run("t4") + run("my-gpu"));
    Path gpus = folder.resolve("gpus.csv");
    List<String> csv = CommandRun.of("devices", "--csv").out().lines().toList();
    Files.write(
        gpus, List.of(csv.getFirst(), "my-gpu,Mine,24576,10,,,20,,500,50,4096,200,made up"));

    CommandRun imported = CommandRun.of("datasets", "import", "csv", runs, "--devices", gpus);
    CommandRun evaluated =
        CommandRun.of("evaluate", "memory", "--test", "csv:" + runs, "--devices", gpus);

    assertThat(imported.out()).contains("rows read      2");
    assertThat(evaluated.exitCode()).as(evaluated.err()).isZero();
    assertThat(evaluated.err()).contains("2 rows read, 0 rejected");
  }

  private static String run(String device) {
    return "tiny," + device + ",8,1,1,1,0,0,1000,4000,1000000,4000,100,40,1000000000\n";
  }

  @Test
  void importsInEveryFormatWithCountsHashAndOrigin() {
    JsonNode read =
        CommandRun.of("datasets", "import", "carma", OutsideData.require("data/carma"), "--json")
            .only();

    assertThat(CommandRun.keys(read))
        .containsExactly("path", "format", "rows", "rejected", "sha256", "published_as");
    assertThat(read.get("rows").asInt()).isEqualTo(39);
    assertThat(read.get("published_as").asText())
        .isEqualTo("carma summary.csv, licence Apache-2.0");
    assertThat(
            CommandRun.of("datasets", "import", "lucid-pairs", OutsideData.require("data/lucid"))
                .out())
        .contains("rows read      1,626")
        .contains("published as   lucid-pairs colocate_info.csv, licence S-Lab-1.0");
  }

  @Test
  void countsRejectedRowsByReasonWhereTheyAreMany() {
    String out =
        CommandRun.of("datasets", "import", "spread", OutsideData.require("data/spread")).out();

    assertThat(out)
        .contains("rows rejected  14,646")
        .contains("7,263 such as ")
        .contains(": 2 workers ran together")
        .contains("(--json lists every line)");
    assertThat(out.lines()).hasSizeLessThan(60);
  }

  @Test
  void listsPublishedSets() {
    assertThat(CommandRun.of("datasets", "list").out())
        .contains("gpumemnet")
        .contains("https://github.com/itu-rad/CARMA");
    assertThat(CommandRun.keys(CommandRun.of("datasets", "list", "--json").json().getFirst()))
        .containsExactly("format", "file", "sha256", "rows", "licence", "state", "download");
  }
}
