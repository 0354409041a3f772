package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every task's figures come as the same rows. */
class EvaluateTablesTest {
  private static final List<String> KEYS =
      List.of(
          "task",
          "protocol",
          "model",
          "metric",
          "value",
          "sd",
          "min",
          "max",
          "rows",
          "seeds",
          "reference");

  @TempDir private Path folder = Path.of("");

  /** One run: nothing used, then 40 samples of 3,000 MiB. */
  private Path series() throws IOException {
    String used = "10," + String.join(",", Collections.nCopies(40, "3000"));
    return Files.writeString(
        folder.resolve("runs.jsonl"),
        "{\"model\": \"a\", \"interval_s\": 0.5, \"mem_used_mib\": [" + used + "]}\n");
  }

  private Path cells() throws IOException {
    Path card = Files.createDirectories(folder.resolve("2080ti"));
    return Files.writeString(
        card.resolve("UTIL.CSV"),
        """
        bench,batch,l2_util(%),mem_util(%)
        resnet50,8,60,40
        vgg16,8,50,70
        """);
  }

  @Test
  void printsForecastsAsRows() throws IOException {
    CommandRun run =
        CommandRun.of("evaluate", "forecast", "--test", "spread-series:" + series(), "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json())
        .isNotEmpty()
        .allSatisfy(row -> assertThat(CommandRun.keys(row)).isEqualTo(KEYS));
    JsonNode error =
        run.json().stream()
            .filter(row -> row.path("model").asText().equals("persistence"))
            .filter(row -> row.path("metric").asText().equals("mae_mib"))
            .findFirst()
            .orElseThrow();
    assertThat(error.path("task").asText()).isEqualTo("forecast");
    assertThat(error.path("protocol").asText()).isEqualTo("given-test/spread-series");
    // 41 samples leave 31 instants; only out of the first one does anything change, by 2,990 MiB.
    assertThat(error.path("rows").asInt()).isEqualTo(31);
    assertThat(error.path("value").asDouble()).isEqualTo(2990 / 31.0);
    assertThat(error.path("reference").isNull()).isTrue();
  }

  @Test
  void printsForecastsWithALineForEachForecaster() throws IOException {
    CommandRun run = CommandRun.of("evaluate", "forecast", "--test", "spread-series:" + series());
    assertThat(run.out().lines().toList().getFirst())
        .startsWith("protocol")
        .contains("mae_mib  mae_ratio  coverage  headroom_mib")
        .endsWith("rows");
    assertThat(run.out().lines()).anyMatch(line -> line.contains("  peak-bound  "));
  }

  @Test
  void printsInterferenceAsTheSameRows() throws IOException {
    CommandRun run =
        CommandRun.of(
            "evaluate", "interference", "--data", "glet:" + cells().getParent(), "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json()).allSatisfy(row -> assertThat(CommandRun.keys(row)).isEqualTo(KEYS));
    // At half the card: .1129·.3 + .7160·.25 + .3549·.2 + .0882·.35 + .8954 = 1.2101.
    JsonNode factor =
        run.json().stream()
            .filter(row -> row.path("protocol").asText().equals("check"))
            .findFirst()
            .orElseThrow();
    assertThat(factor.path("value").asDouble()).isBetween(1.2100, 1.2102);
    assertThat(factor.path("reference").asDouble()).isEqualTo(1.1408);
  }
}
