package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.cli.lab.Provenance;
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
        .contains("utilpred-table3", "utilpred-table4", "lucid-durations", "igniter-plans");
    assertThat(CommandRun.of("lab", "list").out()).contains("UtilPred (HotCloud 2020), Table 4");
  }

  @Test
  void runsAPresetAsCellsTablesAndAPage() throws IOException {
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
            "--out",
            folder,
            "--html",
            folder.resolve("lab.html"));

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
    assertThat(Files.readAllLines(folder.resolve("utilpred-table4-table-4.csv")))
        .hasSize(1 + count(cells, "Table 4"))
        .first()
        .isEqualTo(
            "table,policy,metric,ours,half_width_95,seeds,published,bar_side,bar,bar_met,reading");
    assertThat(Files.readAllLines(folder.resolve("utilpred-table4-table-4-margins.csv")))
        .hasSize(1 + count(cells, "Table 4, margins"));
    JsonNode manifest = new ObjectMapper().readTree(folder.resolve("manifest.json").toFile());
    assertThat(manifest.path("version").asText()).startsWith("cotenant ");
    assertThat(manifest.path("data").path(0).path("sha256").asText()).matches("[0-9a-f]{64}");
    assertThat(manifest.path("tables").path(0).path("file").asText())
        .isEqualTo("utilpred-table4-table-4.csv");
    assertThat(manifest.path("tables").path(0).path("seeds").asInt()).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("lab.html")))
        .contains(manifest.path("data").path(0).path("sha256").asText(), "<svg", "decide")
        .doesNotContain("<script", "http://", "https://");
    assertThat(run.err()).contains("utilpred-table4, oracle", " %, about ");
  }

  /** HEAD names a branch, whose commit is in a file of its own or among packed references. */
  @Test
  void findsTheCommitOfACheckout() throws IOException {
    Path heads = Files.createDirectories(folder.resolve("refs/heads"));
    Files.writeString(folder.resolve("HEAD"), "ref: refs/heads/main\n");
    assertThat(Provenance.commit(folder)).isEmpty();

    Files.writeString(folder.resolve("packed-refs"), "# pack-refs\n11aa refs/heads/main\n");
    assertThat(Provenance.commit(folder)).contains("11aa");

    Files.writeString(heads.resolve("main"), "22bb\n");
    assertThat(Provenance.commit(folder)).contains("22bb");

    Files.writeString(folder.resolve("HEAD"), "33cc\n");
    assertThat(Provenance.commit(folder)).contains("33cc");
  }

  @Test
  void runsAPresetWithoutOutsideData() {
    CommandRun run = CommandRun.of("lab", "run", "igniter-plans");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("Figure 14", "dollars_per_hour", "≤ 18.4");
  }

  /** The learners of the evaluation and measured runs reach the lab. */
  @Test
  void saysWhereAbsentRunsOfWorkloadsComeFrom() {
    CommandRun run =
        CommandRun.of("lab", "run", "utilpred-table3", "--data", "lucid-pairs:" + folder);

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("needs the set gpumemnet", "--data gpumemnet:PATH");
  }

  @Test
  void drawsFigure5aFromTwoSets() {
    Path lucid = OutsideData.require("data/lucid");
    Path gavel = OutsideData.require("data/gavel/pair_throughput.csv");

    CommandRun run =
        CommandRun.of(
            "lab",
            "run",
            "utilpred-figure5a",
            "--data",
            "lucid-pairs:" + lucid,
            "--data",
            "gavel-pairs:" + gavel);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("lucid-pairs on rtx-3090", "gavel-pairs on v100-16gb");
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
        .contains("Unknown preset 'none': use one of all, utilpred-table3");
    assertThat(CommandRun.of("lab", "run", "all", "--seeds", 0).err())
        .contains("--seeds must be at least 1");
    assertThat(CommandRun.of("lab").err()).contains("no subcommand given; there is list, run");
  }

  private static int count(List<JsonNode> cells, String table) {
    return (int) cells.stream().filter(cell -> cell.path("table").asText().equals(table)).count();
  }

  @Test
  void replaysATableOfJobs() throws IOException {
    StringBuilder csv =
        new StringBuilder(
            "submit_seconds,end_seconds,gpus,device,model,peak_memory_bytes,utilization_percent\n");
    for (int i = 0; i < 20; i++) {
      int start = 1_000 * (i / 2);
      csv.append(start).append(',').append(start + 900);
      csv.append(",1,a100-40gb,resnet50,4000000000,20\n");
    }
    csv.append("5,4,1,a100-40gb,,,\n");
    Path jobs = Files.writeString(folder.resolve("jobs.csv"), csv);
    Path table = folder.resolve("out.csv");

    Path page = folder.resolve("replay.html");
    CommandRun run =
        CommandRun.of(
            "lab", "replay", "--jobs", jobs, "--price", 2, "--csv", table, "--html", page);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("jobs.csv:22: end_seconds is not after the start");
    assertThat(run.out())
        .contains("jobs.csv: 20 jobs, 5 GPU hours on 2 GPUs")
        .contains("measured: utilization of 100 % of jobs")
        .contains("- 1 row left out")
        .contains(
            "decide saves 2 GPU hours",
            "at 2.00 an hour); at the busiest moment it uses 2 GPUs, exclusive uses 2")
        .contains("recorded: 0 jobs waited for more than a minute")
        .contains("money saved")
        .contains("profile-once");
    assertThat(Files.readAllLines(table)).hasSize(7).first().asString().startsWith("policy,gpus");

    assertThat(Files.readString(page))
        .contains("decide saves 2 GPU hours")
        .contains("<th scope=\"col\">money saved</th>", "<td>row left out</td><td>1</td>")
        .contains("GPUs in use", "<p>exclusive: one job a GPU, by arrival</p>")
        .doesNotContain("<script", "http://", "https://");

    List<JsonNode> json = CommandRun.of("lab", "replay", "--jobs", jobs, "--json").json();
    assertThat(json.getFirst().path("answer").asText()).startsWith("decide saves");
    assertThat(json.getFirst().path("rules").path("exclusive").asText())
        .isEqualTo("one job a GPU, by arrival");
    assertThat(json.getFirst().path("recorded_waiting_jobs").asInt()).isZero();
    assertThat(json.getFirst().path("rejected").size()).isEqualTo(1);
    assertThat(json.getFirst().path("shareable_jobs_percent").asDouble()).isEqualTo(100);
    assertThat(json)
        .filteredOn(row -> row.path("policy").asText().equals("decide"))
        .singleElement()
        .satisfies(row -> {
          // nine pairs of 15 minutes share a GPU once the first has ended, at .96 ± .08 of speed
          assertThat(row.path("gpu_hours_saved").asDouble()).isBetween(1.5, 2.25);
          assertThat(row.has("money_saved")).isFalse();
        });
  }

  @Test
  void replaysAPublishedTrace() {
    Path lucid = OutsideData.require("data/lucid");
    CommandRun run =
        CommandRun.of(
            "lab",
            "replay",
            "--untimed",
            "lucid-pairs:" + lucid,
            "--policy",
            "tenants-2",
            "--policy",
            "oracle");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("lucid-pairs on rtx-3090")
        .contains("tenants-2")
        .contains("1022");
    assertThat(
            CommandRun.of(
                    "lab", "replay", "--untimed", "lucid-pairs:" + lucid, "--policy", "nobody")
                .err())
        .contains("Unknown policy 'nobody': use one of exclusive, ");
  }

  @Test
  void replaysPublishedTracesWithTimes() throws IOException {
    Path gavel = OutsideData.require("data/gavel/pair_throughput.csv");
    Path table = folder.resolve("gavel.csv");
    CommandRun run =
        CommandRun.of(
            "lab", "replay", "gavel-pairs:" + gavel, "--policy", "gpushare", "--csv", table);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("gavel-pairs on p100-16gb: 1,000 jobs", "gavel-pairs on v100-16gb: 1,000 jobs")
        .contains("1,000 jobs with drawn times, since the set has none: Poisson arrivals");
    assertThat(Files.readAllLines(table))
        .hasSize(5)
        .last()
        .asString()
        .startsWith("gpushare,")
        .endsWith(",\"gavel-pairs on v100-16gb\"");
  }
}
