package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list by which the build runs tests of a running service in one process. */
class RunningServiceTestsTest {
  private static final Path TESTS = RunningService.root().resolve("service/src/test");

  @Test
  void listsEveryTestOfARunningService() throws IOException {
    Path sources = TESTS.resolve("java");
    try (Stream<Path> files = Files.walk(sources)) {
      List<String> annotated =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(RunningServiceTestsTest::isOfARunningService)
              .map(file -> sources.relativize(file).toString())
              .sorted()
              .toList();
      assertThat(Files.readAllLines(TESTS.resolve("running-service-tests.txt")))
          .isEqualTo(annotated);
    }
  }

  private static boolean isOfARunningService(Path file) {
    try {
      return Files.readString(file).contains("\n@QuarkusTest\n");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
