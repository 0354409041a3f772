package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables on a terminal of 60 characters; sentences are the terminal's to wrap. */
class NarrowTerminalTest {
  private static final int WIDTH = 60;
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));

  @TempDir private Path folder = Path.of("");

  private static Stream<String> tableLines(String sentences, Object... command) {
    CommandRun run = CommandRun.ofWidth(WIDTH, command);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out().lines().filter(line -> !line.matches("(" + sentences + ").*"));
  }

  @ParameterizedTest
  @CsvSource({
    "devices, -, h200-141gb",
    "predict --device all ROOT/examples/models/resnet50.onnx, ROOT|In brackets, h200-141gb",
    "predict --device a100-40gb ROOT/examples/models/resnet50.onnx ROOT/examples/models/vgg19.onnx,"
        + " ROOT, peak memory",
    "plan ROOT/examples/plans/twelve-workloads.yaml, best: |note: , W12",
    "plan --strategy all ROOT/examples/plans/twelve-workloads.yaml,"
        + " [a-z+-]+: unplaced: |'--strategy , ideal",
    "lab list, -, igniter",
  })
  void fit(String command, String sentences, String shows) {
    List<String> lines =
        tableLines(
                sentences.replace("ROOT", ROOT.toString()),
                (Object[]) command.replace("ROOT", ROOT.toString()).split(" ", -1))
            .toList();

    assertThat(lines).hasSizeGreaterThan(5).anyMatch(line -> line.contains(shows));
    assertThat(lines).allMatch(line -> line.length() <= WIDTH);
  }

  @Test
  void fitForecasts() throws IOException {
    Path series =
        Files.writeString(
            folder.resolve("series.csv"),
            "timestamp_seconds,used_memory_bytes,capacity_bytes\n0,1,9\n30,1,9\n");

    assertThat(tableLines(series + ": ", "forecast", "--series", series))
        .hasSizeGreaterThan(5)
        .allMatch(line -> line.length() <= WIDTH);
  }
}
