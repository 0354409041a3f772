package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README's first example prints what the program prints. */
class ReadmeTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final String MODEL = "examples/models/resnet50.onnx";

  /** A table's row without the name of the file. */
  private static List<String> cells(String row) {
    return Arrays.stream(row.strip().split(" {2,}")).skip(1).toList();
  }

  @Test
  void showsThePredictionOfResNet50() throws IOException {
    CommandRun run =
        CommandRun.of("predict", ROOT.resolve(MODEL), "--device", "a100-40gb", "--batch", 64);
    String shown =
        Files.readAllLines(ROOT.resolve("README.md")).stream()
            .filter(line -> line.startsWith(MODEL))
            .findFirst()
            .orElseThrow();

    assertThat(run.out().lines().skip(1).map(ReadmeTest::cells)).containsExactly(cells(shown));
  }
}
