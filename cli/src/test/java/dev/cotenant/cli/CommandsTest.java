package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CommandsTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final Path EXAMPLES = ROOT.resolve("examples");
  private static final Path RESNET50 = EXAMPLES.resolve("models/resnet50.onnx");
  private static final Path RESNET18 = EXAMPLES.resolve("models/resnet18.onnx");

  @TempDir private Path folder = Path.of("");

  static Stream<Path> samplePods() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES.resolve("pods"))) {
      return files.sorted().toList().stream();
    }
  }

  /**
   * The graph has batch normalisation folded into its convolutions: of the published 25,557,032
   * parameters, 2 × 26,560 are gone and 26,560 biases have come.
   */
  @Test
  void featuresReadLikeThis() {
    CommandRun run = CommandRun.of("features", RESNET50);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines().skip(1).limit(3))
        .containsExactly(
            "  multiply-accumulates       4,089,184,256",
            "  floating-point operations  8,178,368,512",
            "  by class                   99.9 % convolution, 0.1 % linear");
    assertThat(run.out())
        .contains("  parameters                 25,530,472")
        .contains("layers                     53 convolution, 1 linear, 49 activation");
  }

  @Test
  void featuresHaveTheDocumentedKeys() {
    JsonNode features = only(CommandRun.of("features", RESNET50, "--batch", 2, "--json"));

    assertThat(CommandRun.keys(features))
        .containsExactly(
            "path",
            "multiply_accumulates",
            "flops",
            "parameters",
            "model_size_bytes",
            "activation_bytes",
            "input_bytes",
            "peak_activation_bytes",
            "convolution_layers",
            "linear_layers",
            "activation_layers",
            "other_layers",
            "normalization_layers",
            "operators",
            "multiply_accumulates_by_class",
            "parameters_by_type",
            "activation_read_bytes",
            "activation_write_bytes",
            "weight_read_bytes",
            "arithmetic_intensity_flops_per_byte",
            "kernels",
            "kernel_depth",
            "kernel_width",
            "batch_size",
            "shape_coverage",
            "warnings");
    assertThat(features.path("multiply_accumulates").asLong()).isEqualTo(2 * 4_089_184_256L);
    assertThat(features.path("batch_size").asInt()).isEqualTo(2);
  }

  /** The launcher adds what runs them, which these tests do not have. */
  @Test
  void sayWhatRunsRegressorsWhereItIsMissing() {
    CommandRun run =
        CommandRun.of("predict", RESNET18, "--device", "v100", "--regressor", "mine.yaml");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("predictor-plugin");
  }

  @Test
  void predictionsHaveTheDocumentedKeysAndOrderedBounds() {
    CommandRun run =
        CommandRun.of(
            "predict",
            RESNET50,
            RESNET18,
            "--device",
            "v100",
            "--batch",
            64,
            "--mode",
            "training",
            "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.json()).hasSize(2);
    for (JsonNode prediction : run.json()) {
      assertThat(CommandRun.keys(prediction))
          .contains("path", "device", "mode", "utilization_percent", "peak_memory_bytes")
          .contains("model_version", "warnings", "batch_size", "precision");
      assertThat(prediction.path("device").asText()).isEqualTo("v100-16gb");
      assertOrdered(prediction.path("utilization_percent"));
      assertOrdered(prediction.path("peak_memory_bytes"));
    }
  }

  private static void assertOrdered(JsonNode bounds) {
    assertThat(CommandRun.keys(bounds)).containsExactly("mean", "lower", "upper", "coverage");
    assertThat(bounds.path("lower").asDouble()).isLessThanOrEqualTo(bounds.path("mean").asDouble());
    assertThat(bounds.path("mean").asDouble()).isLessThanOrEqualTo(bounds.path("upper").asDouble());
  }

  @Test
  void predictsTheGraphsThatOthersExport() {
    Path exported = OutsideData.require("models/torchvision/resnet50.b1.onnx");

    JsonNode prediction =
        only(CommandRun.of("predict", exported, "--device", "a100-40gb", "--batch", 64, "--json"));

    assertThat(prediction.path("batch_size").asInt()).isEqualTo(64);
    assertThat(prediction.path("utilization_percent").path("mean").asDouble()).isPositive();
  }

  @Test
  void listsEveryDevice() {
    CommandRun run = CommandRun.of("devices");

    assertThat(run.out().lines()).hasSize(19);
    assertThat(run.out()).contains("a100-40gb").contains("h200-141gb");
  }

  @Test
  void forecastsASeries() throws IOException {
    // Constant use of 2 GiB of 8: every estimator that answers says 2 GiB, which leaves 6.
    StringBuilder csv = new StringBuilder("timestamp_seconds,used_memory_bytes,capacity_bytes\n");
    for (int i = 0; i < 60; i++) {
      csv.append(30 * i).append(',').append(2L << 30).append(',').append(8L << 30).append('\n');
    }
    Path series = Files.writeString(folder.resolve("series.csv"), csv);

    List<JsonNode> forecasts = CommandRun.of("forecast", "--series", series, "--json").json();

    assertThat(forecasts).isNotEmpty();
    assertThat(forecasts)
        .filteredOn(forecast -> forecast.path("estimator").asText().equals("cbp"))
        .singleElement()
        .satisfies(cbp -> {
          assertThat(CommandRun.keys(cbp))
              .containsExactly(
                  "estimator",
                  "applies",
                  "reason",
                  "next_bytes",
                  "peak_bytes",
                  "peak_upper_bytes",
                  "coverage",
                  "horizon_seconds",
                  "free_bytes",
                  "samples",
                  "age_seconds");
          assertThat(cbp.path("peak_bytes").asLong()).isEqualTo(2L << 30);
          assertThat(cbp.path("free_bytes").asLong()).isEqualTo(6L << 30);
        });
  }

  @Test
  void knowsOfNoGrantsWhereThereIsOnlyASeries() throws IOException {
    Path series =
        Files.writeString(
            folder.resolve("series.csv"),
            "timestamp_seconds,used_memory_bytes,capacity_bytes\n0,1,9\n30,1,9\n");
    assertThat(CommandRun.of("forecast", "--series", series, "--json").json())
        .filteredOn(forecast -> forecast.path("estimator").asText().equals("agnostic"))
        .singleElement()
        .satisfies(agnostic -> {
          assertThat(agnostic.path("applies").asBoolean()).isFalse();
          assertThat(agnostic.path("reason").asText()).contains("not known");
          assertThat(agnostic.path("free_bytes").isNull()).isTrue();
        });
  }

  @Test
  void drawsASeriesWithItsBand() throws IOException {
    StringBuilder csv = new StringBuilder("timestamp_seconds,used_memory_bytes,capacity_bytes\n");
    for (int i = 0; i < 60; i++) {
      csv.append(60 * i).append(',').append((i % 7) << 28).append(',').append(8L << 30);
      csv.append('\n');
    }
    Path series = Files.writeString(folder.resolve("<series>.csv"), csv);
    Path drawing = folder.resolve("plot.svg");
    CommandRun run = CommandRun.of("forecast", "--series", series, "--plot", drawing);
    assertThat(run.out()).contains("peak-bound");
    String svg = Files.readString(drawing);
    assertThat(svg)
        .startsWith("<svg ")
        .endsWith("</svg>\n")
        .contains("<polyline", "#f3b562", "&lt;series&gt;")
        .contains("in 95 % of cases")
        .doesNotContain("NaN");
  }

  @Test
  void saysThatAServerCannotBeReached() {
    CommandRun run = CommandRun.of("forecast", "--prometheus", "http://127.0.0.1:1");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("http://127.0.0.1:1").hasLineCount(1);
  }

  @Test
  void asksForTheCapacityThatASeriesDoesNotState() throws IOException {
    Path series =
        Files.writeString(
            folder.resolve("series.csv"), "timestamp_seconds,used_memory_bytes\n0,1\n30,1\n");

    CommandRun without = CommandRun.of("forecast", "--series", series);
    CommandRun with = CommandRun.of("forecast", "--series", series, "--device", "t4");

    assertThat(without.exitCode()).isEqualTo(2);
    assertThat(without.err()).contains("--device");
    assertThat(with.exitCode()).isZero();
  }

  @ParameterizedTest
  @MethodSource("samplePods")
  void decidesAboutEverySamplePod(Path pod) {
    CommandRun run = decide(pod, "busy.json");

    boolean bad = pod.toString().contains("bad-annotations");
    assertThat(run.exitCode()).isEqualTo(bad ? 1 : 0);
    assertThat(run.out().isEmpty()).isEqualTo(bad);
    assertThat(run.err()).doesNotContain("internal error");
  }

  @Test
  void admitsOnAnEmptyClusterWhatItRefusesOnAFullOne() {
    Path pod = EXAMPLES.resolve("pods/02-resnet50-training.yaml");

    assertThat(decide(pod, "empty.json").out()).contains("team-a/resnet50-training: admitted");
    assertThat(decide(pod, "full.json").out()).containsPattern("(held|denied).*\\n(.*\\n)*  1\\. ");
  }

  private static CommandRun decide(Path pod, String cluster) {
    return CommandRun.of(
        "decide",
        "-f",
        pod,
        "--snapshot",
        EXAMPLES.resolve("clusters").resolve(cluster),
        "--models",
        EXAMPLES.resolve("models"));
  }

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

  @Test
  void importsInEveryFormatWithCountsHashAndOrigin() {
    JsonNode read =
        only(
            CommandRun.of(
                "datasets", "import", "carma", OutsideData.require("data/carma"), "--json"));

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

  @Test
  void knowsTheUsersOwnDevices() throws IOException {
    List<String> csv = CommandRun.of("devices", "--csv").out().lines().toList();
    Path file = folder.resolve("gpus.csv");
    Files.write(
        file, List.of(csv.getFirst(), "a30,A30,24576,10.3,82,165,165,933,56,24576,165,data sheet"));

    assertThat(CommandRun.of("devices", "--devices", file).out()).contains("a30").contains("t4");
    assertThat(CommandRun.of("--devices", file, "devices").out()).contains("a30");
    assertThat(
            only(CommandRun.of("predict", RESNET18, "--device", "a30", "--devices", file, "--json"))
                .get("device")
                .asText())
        .isEqualTo("a30");
    CommandRun none = CommandRun.of("devices", "--devices", folder.resolve("none.csv"));
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("none.csv does not exist");
  }

  @Test
  void printsDevicesAsJsonWithTheKeysOfRest() {
    List<JsonNode> devices = CommandRun.of("devices", "--json").json();

    assertThat(devices).hasSameSizeAs(DeviceCatalogue.builtIn().devices());
    assertThat(CommandRun.keys(devices.getFirst()))
        .startsWith("id", "product_name", "memory_bytes", "fp32_teraflops")
        .endsWith("board_power_watts", "source");
  }

  @Test
  void saysItsVersion() {
    assertThat(CommandRun.of("--version").out()).startsWith("cotenant 0.");
    assertThat(CommandRun.of("version").out()).contains("predictor layers-");
  }

  @Test
  void helpsWithEveryCommand() {
    for (String command : List.of("features", "predict", "decide", "train", "serve", "demo")) {
      CommandRun run = CommandRun.of(command, "--help");
      assertThat(run.exitCode()).isZero();
      assertThat(run.out()).contains("Usage: cotenant " + command);
    }
    assertThat(CommandRun.of("help").out()).contains("predict").contains("demo");
  }

  private static JsonNode only(CommandRun run) {
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json()).hasSize(1);
    return run.json().getFirst();
  }
}
