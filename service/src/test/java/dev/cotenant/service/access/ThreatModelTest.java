package dev.cotenant.service.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.RunningService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each attack in docs/threat-model.md names the test that makes it. */
class ThreatModelTest {
  private static final Path ROOT = RunningService.root();
  private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z]+(?:Test|IT))`");

  private static List<String> attacks() throws IOException {
    return Files.readAllLines(ROOT.resolve("docs/threat-model.md")).stream()
        .dropWhile(line -> !line.startsWith("| attacker | tries |"))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }

  private static Set<String> tests() throws IOException {
    List<Path> modules;
    try (Stream<Path> folders = Files.list(ROOT)) {
      modules = folders.map(module -> module.resolve("src/test/java")).toList();
    }
    Set<String> tests = new HashSet<>();
    for (Path module : modules) {
      if (Files.isDirectory(module)) {
        try (Stream<Path> files = Files.walk(module)) {
          files
              .map(file -> file.getFileName().toString().replaceFirst("\\.java$", ""))
              .forEach(tests::add);
        }
      }
    }
    return tests;
  }

  @Test
  void everyAttackIsMadeByATest() throws IOException {
    Set<String> tests = tests();

    assertThat(attacks())
        .hasSizeGreaterThan(30)
        .allSatisfy(line -> {
          String last = line.substring(line.lastIndexOf('|', line.length() - 2));
          List<String> named =
              TEST.matcher(last).results().map((MatchResult one) -> one.group(1)).toList();
          assertThat(named).as(line).isNotEmpty();
          assertThat(tests).as(line).containsAll(named);
        });
  }
}
