package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.inference.Operator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operators one by one, with outputs and multiply-accumulates worked by hand. */
class OperatorCasesTest {
  static List<OperatorCase> cases() throws IOException {
    try (var stream =
        Objects.requireNonNull(
            OperatorCasesTest.class.getResourceAsStream("/operator-cases.txt"))) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.replaceFirst("( |^)#.*", ""))
          .filter(line -> !line.isBlank())
          .map(OperatorCase::parse)
          .toList();
    }
  }

  static List<OperatorCase> matrixCases() throws IOException {
    return cases().stream()
        .filter(each -> each.operator().role() == Operator.Role.MATRIX)
        .filter(each -> !each.outputs().equals("mismatch"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void derivesTheOutputs(OperatorCase each) {
    assertThat(each.found()).as(each.line()).isEqualTo(each.outputs());
  }

  @ParameterizedTest
  @MethodSource("matrixCases")
  void countsMultiplyAccumulates(OperatorCase each) {
    String found = each.macs(1) < 0 ? "unknown" : Long.toString(each.macs(1));
    assertThat(found).as(each.line()).isEqualTo(each.macs());
  }

  /** All of these grow with the batch, none faster. */
  @ParameterizedTest
  @MethodSource("matrixCases")
  void countsThreeTimesAsMuchAtThreeTimesTheBatch(OperatorCase each) {
    if (each.hasBatch() && each.macs(1) >= 0) {
      assertThat(each.macs(3)).as(each.line()).isEqualTo(3 * each.macs(1));
    }
  }

  /** Convolutions, linear layers, activations and others where a line lists them. */
  @ParameterizedTest
  @MethodSource("cases")
  void countsLayers(OperatorCase each) {
    if (!each.layers().isEmpty()) {
      int[] wanted = Arrays.stream(each.layers().split(" ")).mapToInt(Integer::parseInt).toArray();
      assertThat(each.foundLayers())
          .as(each.line())
          .isEqualTo(new LayerCounts(wanted[0], wanted[1], wanted[2], wanted[3]));
    }
  }
}
