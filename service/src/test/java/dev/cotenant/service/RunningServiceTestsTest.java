package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The lists by which the build runs tests of a running service in few processes. */
class RunningServiceTestsTest {
  private static final Path TESTS = RunningService.root().resolve("service/src/test");

  /** A profile within the test. */
  private static final Pattern OWN_PROFILE =
      Pattern.compile("\\n@TestProfile\\(\\w+\\.\\w+\\.class\\)\\n");

  @Test
  void listsEveryTestOfARunningService() throws IOException {
    assertThat(Files.readAllLines(TESTS.resolve("running-service-tests.txt")))
        .isEqualTo(testsOfARunningService(_ -> true));
  }

  /** Browser tests of their module are a pattern there. */
  @Test
  void listsEveryTestWithAServiceOfItsOwnAndNoBrowser() throws IOException {
    assertThat(Files.readAllLines(TESTS.resolve("separate-service-tests.txt")))
        .isEqualTo(
            testsOfARunningService(source ->
                OWN_PROFILE.matcher(source).find()
                    && !source.startsWith("package dev.cotenant.service.browser;")));
  }

  private static List<String> testsOfARunningService(Predicate<String> rule) throws IOException {
    Path sources = TESTS.resolve("java");
    List<String> tests = new ArrayList<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
        String source = Files.readString(file);
        if (source.contains("\n@QuarkusTest\n") && rule.test(source)) {
          tests.add(sources.relativize(file).toString());
        }
      }
    }
    return tests;
  }
}
