package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What fuzzing found, each file read and extracted as declared and at extreme bindings. */
class FuzzRegressionTest {
  private static final List<int[]> DRAWS =
      List.of(
          new int[] {0, 0},
          new int[] {7, 3},
          new int[] {Integer.MAX_VALUE, 1},
          new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE});

  @TestFactory
  List<DynamicTest> survives() throws IOException, URISyntaxException {
    URL folder = Objects.requireNonNull(FuzzRegressionTest.class.getResource("/fuzz"));
    try (var listed = Files.list(Path.of(folder.toURI()))) {
      List<DynamicTest> tests =
          listed
              .sorted()
              .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> run(file)))
              .toList();
      assertThat(tests).isNotEmpty();
      return tests;
    }
  }

  private static void run(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    for (int[] draw : DRAWS) {
      ByteBuffer drawn = ByteBuffer.allocate(content.length + 8).put(content);
      byte[] input = drawn.putInt(draw[0]).putInt(draw[1]).array();
      assertDoesNotThrow(() -> SafetyCheck.extractAsDrawn(input));
    }
  }
}
