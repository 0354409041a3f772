package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README's first example prints what the program prints. */
class ReadmeTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final String MODEL = "examples/models/resnet50.onnx";

  /** Lines of the README's block after the command, up to the warnings. */
  private static List<String> shown() throws IOException {
    return Files.readAllLines(ROOT.resolve("README.md")).stream()
        .dropWhile(line -> !line.startsWith("$ ./cotenant predict " + MODEL))
        .skip(1)
        .takeWhile(line -> !line.startsWith("warning"))
        .toList();
  }

  @Test
  void showsThePredictionOfResNet50() throws IOException {
    CommandRun run =
        CommandRun.ofWidth(
            120, "predict", ROOT.resolve(MODEL), "--device", "a100-40gb", "--batch", 64);

    assertThat(run.out().lines().map(line -> line.replace(ROOT + "/", "")))
        .containsExactlyElementsOf(shown());
  }
}
