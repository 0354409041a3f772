package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabCommandTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void listsPresets() {
    CommandRun run = CommandRun.of("lab", "list", "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.json())
        .extracting(preset -> preset.path("name").asText())
        .contains("utilpred-table4", "lucid-durations");
    assertThat(CommandRun.of("lab", "list").out()).contains("UtilPred (HotCloud 2020), Table 4");
  }

  @Test
  void runsAPresetAsCellsAndCsv() throws IOException {
    Path lucid = OutsideData.require("data/lucid");

    CommandRun run =
        CommandRun.of(
            "lab",
            "run",
            "utilpred-table4",
            "--seeds",
            1,
            "--data",
            "lucid-pairs:" + lucid,
            "--json",
            "--csv",
            folder);

    assertThat(run.exitCode()).as(run.err()).isZero();
    List<JsonNode> cells = run.json();
    assertThat(CommandRun.keys(cells.getFirst()))
        .containsExactly(
            "preset",
            "table",
            "policy",
            "metric",
            "ours",
            "half_width_95",
            "seeds",
            "published",
            "bar_side",
            "bar",
            "bar_met",
            "reading");
    assertThat(cells).allSatisfy(cell -> assertThat(cell.path("reading").asText()).isNotEmpty());
    assertThat(Files.readAllLines(folder.resolve("utilpred-table4.csv")))
        .hasSize(cells.size() + 1)
        .first()
        .isEqualTo(
            "table,policy,metric,ours,half_width_95,seeds,published,bar_side,bar,bar_met,reading");
  }

  @Test
  void saysWhereAbsentDataComeFrom() {
    CommandRun run =
        CommandRun.of("lab", "run", "lucid-durations", "--data", "gavel-pairs:" + folder);

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("needs the set lucid-pairs", "from http", "--data lucid-pairs:PATH");
  }

  @Test
  void refusesUnknownPresetsAndBadSeeds() {
    assertThat(CommandRun.of("lab", "run", "none").err())
        .contains("Unknown preset 'none': use all or one of utilpred-table4");
    assertThat(CommandRun.of("lab", "run", "all", "--seeds", 0).err())
        .contains("--seeds must be at least 1");
    assertThat(CommandRun.of("lab").err()).contains("no subcommand given; there is list, run");
  }
}
