package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    JsonNode features = CommandRun.of("features", RESNET50, "--batch", 2, "--json").only();

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
    assertThat(CommandRun.keys(bounds))
        .containsExactly("mean", "lower", "upper", "coverage", "calibration");
    assertThat(CommandRun.keys(bounds.path("calibration"))).containsExactly("group", "rows");
    assertThat(bounds.path("calibration").path("rows").asInt()).isPositive();
    assertThat(bounds.path("lower").asDouble()).isLessThanOrEqualTo(bounds.path("mean").asDouble());
    assertThat(bounds.path("mean").asDouble()).isLessThanOrEqualTo(bounds.path("upper").asDouble());
  }

  @Test
  void predictsTheGraphsThatOthersExport() {
    Path exported = OutsideData.require("models/torchvision/resnet50.b1.onnx");

    JsonNode prediction =
        CommandRun.of("predict", exported, "--device", "a100-40gb", "--batch", 64, "--json").only();

    assertThat(prediction.path("batch_size").asInt()).isEqualTo(64);
    assertThat(prediction.path("utilization_percent").path("mean").asDouble()).isPositive();
  }

  @Test
  void predictsAtSeveralBatchesWithANoteOncePerDevice() {
    CommandRun run =
        CommandRun.of(
            "predict",
            RESNET18,
            "--device",
            "all",
            "--batches",
            "1,8",
            "--precision",
            "bf16",
            "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.json())
        .extracting(prediction -> prediction.path("batch_size").asInt())
        .containsOnly(1, 8);
    assertThat(run.errorLines()).filteredOn(line -> line.contains("device p40 ")).hasSize(1);
    CommandRun both =
        CommandRun.of("predict", RESNET18, "--device", "t4", "--batches", "1", "--batch", "2");
    assertThat(both.err()).contains("--batch and --batches: name one of them.");
    assertThat(CommandRun.of("predict", RESNET18, "--device", "t4", "--batches", "0").err())
        .contains("batch must be at least 1, is 0");
  }

  @Test
  void saysThatABatchDoesNotFit() {
    CommandRun large = CommandRun.of("predict", RESNET50, "--device", "t4", "--batch", 4096);
    CommandRun small = CommandRun.of("predict", RESNET50, "--device", "t4", "--batch", 8);

    assertThat(large.exitCode()).isZero();
    assertThat(large.err())
        .containsPattern("Batch 4096 does not fit: its peak memory is [0-9.]+ GiB, t4 has");
    assertThat(small.err()).doesNotContain("fit: its peak memory");
  }

  @Test
  void countsTheDevicesOfAWarningOnceForAllBatches() {
    CommandRun run = CommandRun.of("predict", RESNET18, "--device", "t4", "--batches", "1,2,4");

    assertThat(run.err()).contains("warning: ").doesNotContain(" devices)");
  }

  @Test
  void aNameOfSeveralProductsIsSaidToBeOne() {
    CommandRun run = CommandRun.of("predict", RESNET18, "--device", "A100", "--json");

    assertThat(run.only().path("device").asText()).isEqualTo("a100-40gb");
    assertThat(run.err()).contains("A100 is read as a100-40gb; there is ").contains("a100-80gb");
    assertThat(CommandRun.of("predict", RESNET18, "--device", "a100-80gb").err())
        .doesNotContain("is read as");
  }

  @Test
  void predictsOnAllDevicesTheShortestStepFirst() {
    CommandRun run =
        CommandRun.of("predict", RESNET50, "--device", "all", "--precision", "bf16", "--json");

    assertThat(run.json())
        .hasSizeGreaterThan(20)
        .extracting(prediction -> prediction.at("/step_time_seconds/mean").asDouble())
        .isSorted();
    assertThat(run.err()).contains("v100-16gb does not compute bf16");
  }

  @Test
  void showsAllDevicesOnAnUsualTerminal() {
    CommandRun run =
        CommandRun.ofWidth(80, "predict", RESNET50, "--device", "all", "--batch", 1000);

    assertThat(run.out().lines())
        .startsWith(RESNET50 + ": training, fp32, batch 1,000")
        .anyMatch(
            line -> line.matches("t4 +\\d+ \\(\\d+–100\\) +\\S+ \\(\\S+\\) +\\S+ \\(\\S+\\) +\\S+"))
        .hasSize(DeviceCatalogue.builtIn().devices().size() + 3);
    assertThat(run.out().lines().skip(1)).allMatch(line -> line.length() <= 80);
    assertThat(run.errorLines()).doesNotHaveDuplicates();
  }

  @Test
  void listsEveryDevice() {
    CommandRun run = CommandRun.of("devices");

    assertThat(run.out().lines()).hasSize(DeviceCatalogue.builtIn().devices().size() + 1);
    assertThat(run.out()).contains("a100-40gb").contains("h200-141gb").contains("rtx-pro-6000");
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

    assertThat(decide(pod, "empty.json").out())
        .startsWith("On the recorded cluster empty.json")
        .contains("team-a/resnet50-training: admitted");
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
  void decidesAboutTheOtherPodsOfAListOnStandardInputWhereOneIsBad()
      throws IOException, InterruptedException {
    Path list =
        Files.writeString(
            folder.resolve("list.yaml"),
            "kind: List\nitems:\n" + item("first", 4) + item("bad", 0) + item("last", 8));

    Process decide = CommandProcess.of("decide", "-f", "-").redirectInput(list.toFile()).start();
    String out = new String(decide.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(decide.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(out).containsSubsequence("\nteam-a/first: ", "\nteam-a/last: ");
    assertThat(err.lines())
        .singleElement()
        .asString()
        .startsWith("cotenant: -: ")
        .contains("cotenant.dev/batch-size");
    assertThat(decide.waitFor()).isEqualTo(1);
  }

  private static String item(String name, int batch) {
    return """
    - kind: Pod
      metadata:
        name: %s
        namespace: team-a
        annotations: {cotenant.dev/model: resnet18, cotenant.dev/batch-size: "%d"}
      spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: "1"}}}]}
    """
        .formatted(name, batch);
  }

  @Test
  void knowsTheUsersOwnDevices() throws IOException {
    List<String> csv = CommandRun.of("devices", "--csv").out().lines().toList();
    Path file = folder.resolve("gpus.csv");
    Files.write(
        file,
        List.of(csv.getFirst(), "a30,A30,24576,10.3,,82,165,165,933,56,24576,165,data sheet"));

    assertThat(CommandRun.of("devices", "--devices", file).out()).contains("a30").contains("t4");
    assertThat(CommandRun.of("--devices", file, "devices").out()).contains("a30");
    assertThat(
            CommandRun.of("predict", RESNET18, "--device", "a30", "--devices", file, "--json")
                .only()
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
    assertThat(CommandRun.of("version").out()).contains("predictor hybrid-");
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
}
