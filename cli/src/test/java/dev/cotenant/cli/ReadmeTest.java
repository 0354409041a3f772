package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README shows what the program prints. */
class ReadmeTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final String MODEL = "examples/models/resnet50.onnx";
  private static final String PLAN = "examples/plans/twelve-workloads.yaml";
  private static final String HELD = "examples/pods/04-densenet121-big-batch.yaml";

  /** Lines of the README's block after the command, up to a line with this beginning. */
  private static List<String> shown(String command, String end) throws IOException {
    return Files.readAllLines(ROOT.resolve("README.md")).stream()
        .dropWhile(line -> !line.startsWith("$ ./cotenant " + command))
        .skip(1)
        .takeWhile(line -> !line.startsWith(end))
        .toList();
  }

  @Test
  void showsThePredictionOfResNet50() throws IOException {
    CommandRun run =
        CommandRun.ofWidth(
            120, "predict", ROOT.resolve(MODEL), "--device", "a100-40gb", "--batch", 64);

    assertThat(run.out().lines().map(line -> line.replace(ROOT + "/", "")))
        .containsExactlyElementsOf(shown("predict " + MODEL, "warning"));
  }

  @Test
  void showsThePlanOfTwelveWorkloads() throws IOException {
    CommandRun run = CommandRun.of("plan", ROOT.resolve(PLAN));

    assertThat(run.out().strip().lines().map(ReadmeTest::withoutTime))
        .containsExactlyElementsOf(
            shown("plan " + PLAN, "```").stream().map(ReadmeTest::withoutTime).toList());
  }

  private static String withoutTime(String line) {
    return line.replaceFirst(", [0-9.]+ ms$", "");
  }

  /** Without a service; as README says, with every reason and the largest batch that fits. */
  @Test
  void printsEveryReasonAndTheBatchThatFits() throws IOException {
    assertThat(Files.readString(ROOT.resolve("README.md"))).contains("decide -f " + HELD);

    CommandRun run = CommandRun.of("decide", "-f", ROOT.resolve(HELD));

    assertThat(run.out())
        .contains("team-a/densenet121-big-batch: held")
        .containsPattern("\n  1\\. [A-Z][A-Za-z]+: GPU-")
        .containsPattern("MemoryForecastExceeded: .* limit [0-9.]+ GiB")
        .containsPattern("\n  What would fit: batch \\d+, on GPU-");
  }
}
