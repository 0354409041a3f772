package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Holds every model of ONNX's own backend tests against the outputs that are stored with it. The
 * stored inputs give extents and, where they are small, elements.
 */
class OperatorConformanceTest {
  private static final Path SUITES = Path.of("/usr/share/libonnx-testdata/data");
  private static final List<ConformanceCase.Finding> FINDINGS = new ArrayList<>();
  private static final Set<String> EXERCISED = new TreeSet<>();

  @BeforeAll
  static void inferEveryModel() throws IOException {
    OutsideData.requirePackage("libonnx-testdata", SUITES);
    for (String suite : List.of("node", "simple", "pytorch-operator", "pytorch-converted")) {
      for (Path folder : folders(SUITES.resolve(suite))) {
        ConformanceCase each = ConformanceCase.of(folder);
        EXERCISED.addAll(each.operators());
        FINDINGS.addAll(each.findings());
      }
    }
    print();
  }

  private static List<Path> folders(Path suite) throws IOException {
    try (var listed = Files.list(suite)) {
      return listed.filter(folder -> Files.exists(folder.resolve("model.onnx"))).sorted().toList();
    }
  }

  private static void print() {
    Map<String, Map<ConformanceCase.Outcome, Integer>> counts = new TreeMap<>();
    for (ConformanceCase.Finding finding : FINDINGS) {
      for (String row : List.of("total", finding.operator())) {
        counts
            .computeIfAbsent(row, key -> new EnumMap<>(ConformanceCase.Outcome.class))
            .merge(finding.outcome(), 1, Integer::sum);
      }
    }
    counts.forEach((operator, outcomes) -> System.out.println(operator + " " + outcomes));
  }

  /** By a model here, by a line of {@code operator-cases.txt}, or by a test of control flow. */
  @Test
  void leavesNoOperatorUnexercised() throws IOException {
    Set<String> never = new TreeSet<>(StandardOperators.table().keys());
    never.addAll(ControlFlow.OPERATORS);
    never.removeAll(EXERCISED);
    OperatorCasesTest.cases().forEach(each -> never.remove(each.key()));
    never.removeAll(ControlFlowTest.EXERCISED);
    assertThat(never).isEmpty();
  }

  @Test
  void contradictsNoStoredOutput() {
    assertThat(FINDINGS)
        .hasSizeGreaterThan(1000)
        .filteredOn(finding -> finding.outcome() == ConformanceCase.Outcome.DIFFERENT)
        .isEmpty();
  }

  @Test
  void leavesUnknownOnlyWhatTheReviewedListNames() throws IOException {
    List<String> unknown =
        FINDINGS.stream()
            .filter(finding -> finding.outcome() == ConformanceCase.Outcome.UNKNOWN)
            .map(finding -> finding.test() + " " + finding.output())
            .sorted()
            .toList();
    assertThat(unknown).containsExactlyInAnyOrderElementsOf(reviewed().keySet());
    assertThat(reviewed().values()).noneMatch(String::isBlank);
  }

  /** Lines of a test, an output and the reason why its shape cannot be known. */
  private static Map<String, String> reviewed() throws IOException {
    try (var stream =
        Objects.requireNonNull(
            OperatorConformanceTest.class.getResourceAsStream("/unknown-outputs.txt"))) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split(" ", 3))
          .collect(
              Collectors.toMap(
                  parts -> parts[0] + " " + parts[1], parts -> parts.length < 3 ? "" : parts[2]));
    }
  }
}
