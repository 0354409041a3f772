package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NOTICE names every library that is distributed, with its licence. */
class NoticeIT {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final String OURS = "dev.cotenant";

  /** Groups of the lines "LICENCE: GROUP …" below the heading of libraries. */
  private static List<String> groups() throws IOException {
    return Files.readAllLines(ROOT.resolve("NOTICE")).stream()
        .dropWhile(line -> !line.startsWith("Libraries in the service"))
        .skip(1)
        .flatMap(line -> Arrays.stream(line.substring(line.lastIndexOf(": ") + 2).split(" ")))
        .toList();
  }

  /** Files of libraries, each named after its group and artifact. */
  private static List<String> libraries(String folder) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".jar") && !file.startsWith(OURS))
          .toList();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cli/target/lib",
        "service/target/quarkus-app/lib/main",
        "service/target/quarkus-app/lib/boot"
      })
  void namesEveryLibrary(String folder) throws IOException {
    List<String> groups = groups();

    assertThat(libraries(folder))
        .isNotEmpty()
        .allMatch(file -> groups.stream().anyMatch(group -> file.startsWith(group + ".")));
  }

  @Test
  void whatIsUnderTheGplIsNotInTheService() throws IOException {
    assertThat(libraries("service/target/quarkus-app/lib/main"))
        .noneMatch(file -> file.startsWith("com.github.haifengl."));
  }
}
