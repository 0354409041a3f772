package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of bad input ends in one line on standard error and the right exit code. */
class BadUsageTest {
  private static final Path EXAMPLES = Path.of(System.getProperty("cotenant.root"), "examples");
  private static final Path MODEL = EXAMPLES.resolve("models/resnet18.onnx");
  private static final Path POD = EXAMPLES.resolve("pods/01-resnet18-training.yaml");

  @TempDir private Path folder = Path.of("");

  /** Arguments separated by spaces, and what the one line must say. */
  static Stream<Arguments> badUsage() {
    return Stream.of(
        Arguments.of("", "the commands are features, predict, devices"),
        Arguments.of("planet fleet.yaml", "Unknown command 'planet', perhaps 'plan': use one of"),
        Arguments.of("devces", "Unknown command 'devces', perhaps 'devices': use one of"),
        Arguments.of(
            "datasets lst", "Unknown command 'lst', perhaps 'list': use one of import, list"),
        Arguments.of("--nonsense", "Unknown option '--nonsense': use one of"),
        Arguments.of(
            "predict MODEL --device t4 --bacth 4", "'--bacth', perhaps '--batch': use one"),
        Arguments.of("predict MODEL --device rtx4090", "'rtx4090', perhaps 'rtx-4090': use one"),
        Arguments.of("features", "FILE"),
        Arguments.of("features MODEL --nonsense", "--nonsense"),
        Arguments.of("features MODEL --batch 0", "must be at least 1, is 0"),
        Arguments.of("features MODEL --batch -3", "must be at least 1, is -3"),
        Arguments.of("features MODEL --batch many", "'many'"),
        Arguments.of("features MODEL --batch 99999999999", "'99999999999'"),
        Arguments.of("features MODEL --dim sequence", "sequence"),
        Arguments.of("features MODEL --dim sequence=0", "sequence must be at least 1"),
        Arguments.of("features MODEL --dim sequence=x", "x"),
        Arguments.of("predict MODEL", "--device"),
        Arguments.of("predict MODEL --devise t4", "'--devise', perhaps '--device': use one"),
        Arguments.of("predict MODEL --dvice=t4", "'--dvice', perhaps '--device': use one"),
        Arguments.of("devices foo", "'foo' is one argument too many: leave it out (usage:"),
        Arguments.of("plan FILE bar", "'bar' is one argument too many"),
        Arguments.of("predict MODEL --device a1000", "Unknown device 'a1000': use one of k80"),
        Arguments.of("predict MODEL --device a100 --batch 0", "at least 1"),
        Arguments.of("predict MODEL --device a100 --mode fast", "Unknown mode 'fast'"),
        Arguments.of("predict MODEL --device a100 --precision fp8", "Unknown precision 'fp8'"),
        Arguments.of("predict --device a100", "FILE"),
        Arguments.of("forecast", "--series"),
        Arguments.of("decide", "-f"),
        Arguments.of("datasets", "import"),
        Arguments.of("datasets import imagenet x.csv", "Unknown format 'imagenet'"),
        Arguments.of("train --data gpumemnet", "FORMAT:PATH"),
        Arguments.of(
            "train --learner catboost",
            "Unknown learner 'catboost': use one of hybrid, smile-forest, tribuo-cart"),
        Arguments.of("train rewards", "Unknown task 'rewards': use forecast or placement"),
        Arguments.of("train placement --episodes 0", "--episodes must be from 1 to 100000, is 0"),
        Arguments.of("upload", "FILE"),
        Arguments.of("evaluate --data imagenet:x.csv", "Unknown format 'imagenet'"),
        Arguments.of("lab replay", "give one of --prometheus URL, --jobs FILE.csv or TRACE…"),
        Arguments.of("lab replay imagenet:x.csv", "Unknown format 'imagenet'"),
        Arguments.of("lab replay gavel-pairs", "is not FORMAT:PATH"),
        Arguments.of("lab replay --jobs x.csv gavel-pairs:x", "give one of"),
        Arguments.of("lab replay --jobs x.csv --prometheus http://x", "mutually exclusive"),
        Arguments.of("lab replay --jobs x.csv --untimed", "--untimed is for a TRACE"),
        Arguments.of("lab replay --jobs x.csv --price -1", "--price must be money"),
        Arguments.of("lab replay --jobs x.csv --draws 0", "draws must be 1 to 100, is 0"),
        Arguments.of("lab replay --jobs x.csv --policy none", "Unknown policy 'none'"),
        Arguments.of("lab replay --prometheus nowhere", "url must be http://"),
        Arguments.of("lab replay --prometheus http://x --since 7y", "such as 7d, is '7y'"),
        Arguments.of("lab replay --prometheus http://x --since 2000d", "400 days"),
        Arguments.of("lab replay --prometheus http://x --used-metric a-b", "'a-b' is not a metric"),
        Arguments.of("lab replay --prometheus http://x --memory-unit 1X", "1K or 1M, is '1X'"),
        Arguments.of("forecast --prometheus http://x --memory-unit 0", "at least 1, is 0"),
        Arguments.of("exporter --interval 0", "--interval must be at least 1"),
        Arguments.of("exporter --port 65536", "--port must be from 0 to 65535, is 65536"),
        Arguments.of("serve --port 0", "--port must be from 1 to 65535"),
        Arguments.of("serve --port 9000 --https-port 9000", "must differ"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badUsage")
  void isOneLineAndExitCode2(String line, String says) {
    CommandRun run = CommandRun.of(words(line, MODEL));

    assertThat(run.err()).contains(says).doesNotContain("\tat ", "at index");
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.exitCode()).isEqualTo(2);
  }

  private static Object[] words(String line, Path file) {
    return Arrays.stream(line.split(" "))
        .filter(word -> !word.isEmpty())
        .map(word -> word.replace("FILE", file.toString()))
        .map(word -> word.replace("MODEL", MODEL.toString()).replace("POD", POD.toString()))
        .toArray();
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"exporter --port", "serve --port", "demo --port"})
  void aTakenPortIsNamedAndExitCode1(String line) throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CommandRun run = CommandRun.of(words(line + " " + taken.getLocalPort(), MODEL));

      assertThat(run.errorLines()).singleElement().asString().contains("choose another with --");
      assertThat(run.err()).contains("port " + taken.getLocalPort());
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  /** As a second demo beside the first finds them. */
  @Test
  void twoTakenPortsAreNamedTogether() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket http = new ServerSocket(0, 1, loopback);
        ServerSocket https = new ServerSocket(0, 1, loopback)) {
      CommandRun run =
          CommandRun.of(
              "demo", "--port", http.getLocalPort(), "--https-port", https.getLocalPort());

      assertThat(run.errorLines())
          .singleElement()
          .asString()
          .contains("port " + http.getLocalPort() + " and port " + https.getLocalPort())
          .endsWith("choose others with --port and --https-port.");
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "features FILE",
        "predict FILE --device a100",
        "predict -f FILE --device a100",
        "forecast --series FILE",
        "decide -f FILE",
        "decide -f POD --snapshot FILE",
        "exporter --port 0 --snapshot FILE",
        "datasets import gpumemnet FILE",
        "train --data named-models:FILE",
        "evaluate --data gpumemnet:FILE",
        "serve --port 18080 --https-port 18443 --snapshot FILE",
        "serve --port 18080 --https-port 18443 --devices FILE"
      })
  void aMissingFileIsNamedAndExitCode1(String line) {
    Path missing = folder.resolve("missing file.txt");

    CommandRun run = CommandRun.of(words(line, missing));

    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains(missing.toString());
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "features FILE",
        "predict FILE --device a100",
        "predict -f FILE --device a100",
        "forecast --series FILE",
        "decide -f FILE",
        "decide -f POD --snapshot FILE",
        "datasets import gpumemnet FILE",
        "train --data named-models:FILE",
        "evaluate --data gpumemnet:FILE"
      })
  void rubbishIsNamedAndExitCode1(String line) throws IOException {
    Path rubbish = Files.write(folder.resolve("rubbish"), new byte[] {0, 1, 2, '{', (byte) 0xff});

    CommandRun run = CommandRun.of(words(line, rubbish));

    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains(rubbish.toString()).doesNotContain("internal error");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void goesOnAfterABadFile() throws IOException {
    Path rubbish = Files.writeString(folder.resolve("rubbish.onnx"), "no model");
    Path missing = folder.resolve("missing.onnx");

    CommandRun run = CommandRun.of("features", rubbish, MODEL, missing, "--json");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.json())
        .extracting(line -> line.path("path").asText())
        .isEqualTo(List.of(rubbish.toString(), MODEL.toString(), missing.toString()));
    assertThat(CommandRun.keys(run.json().getFirst())).containsExactly("path", "error");
    assertThat(CommandRun.keys(run.json().getFirst().path("error")))
        .containsExactly("code", "message");
    assertThat(run.json().get(1).path("convolution_layers").asInt()).isEqualTo(20);
    assertThat(run.errorLines()).hasSize(2);
  }
}
