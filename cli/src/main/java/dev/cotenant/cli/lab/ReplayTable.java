package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.text.Table;
import dev.cotenant.lab.report.HtmlReport;
import dev.cotenant.simulator.policy.Policies;
import dev.cotenant.simulator.replay.PolicyOutcome;
import dev.cotenant.simulator.replay.PolicyOutcome.Range;
import dev.cotenant.simulator.replay.ReplayReport;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A replay for people and programs.
 *
 * @param price of a GPU hour; 0: no money
 */
record ReplayTable(ReplayReport report, double price) {
  private static final double MINUTE = 60;
  private static final double HOUR = 3_600;

  Map<String, Object> summary() {
    return report.summary(price);
  }

  List<Map<String, Object>> rows() {
    return report.rows(price);
  }

  /** A header and a row per policy. */
  List<String> csv() {
    List<String> lines = new ArrayList<>();
    lines.add(String.join(",", rows().getFirst().keySet()) + ",recording");
    String source = "\"" + report.recorded().source().replace("\"", "\"\"") + "\"";
    rows()
        .forEach(row ->
            lines.add(
                row.values().stream().map(String::valueOf).collect(Collectors.joining(","))
                    + ","
                    + source));
    return lines;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(report.answer(price));
    lines.add("");
    lines.addAll(table().lines(report.outcomes()));
    lines.add("");
    lines.addAll(facts());
    report.findings().forEach(finding -> lines.add("- " + PlainText.of(finding.toString(), " ")));
    return lines;
  }

  /** What was recorded, how much of it was measured, and what is uncertain. */
  List<String> facts() {
    List<String> lines = new ArrayList<>();
    ReplayReport.Recorded recorded = report.recorded();
    lines.add(
        String.format(
            Locale.ROOT,
            "%s: %s jobs, %s GPU hours on %s GPUs",
            PlainText.of(recorded.source(), " "),
            Words.count(recorded.jobs()),
            Words.count(Math.round(recorded.gpuHours())),
            Words.count(recorded.gpus())));
    lines.add(waits(recorded.waits()));
    lines.add(confidence());
    PolicyOutcome proposed = report.proposed();
    if (!proposed.harm().configurations().isEmpty()) {
      lines.add(
          "most harmed under "
              + proposed.policy()
              + ": "
              + proposed.harm().configurations().stream()
                  .map(harmed -> PlainText.of(harmed.toString(), " "))
                  .collect(Collectors.joining(", ")));
    }
    lines.add("slowdown: " + report.recorded().slowdowns() + "; ranges are over its draws");
    return lines;
  }

  private static String waits(PolicyOutcome.Waits waits) {
    return "recorded: "
        + Words.count(waits.jobs())
        + " jobs waited for more than a minute, "
        + duration(waits.meanSeconds())
        + " on average, at most "
        + duration(waits.longestSeconds());
  }

  private String confidence() {
    ReplayReport.Confidence confidence = report.confidence();
    return String.format(
        Locale.ROOT,
        "measured: utilization of %.0f %% of jobs, peak memory of %.0f %%, duration of %.0f %%;"
            + " model or image known of %.0f %%; shareable: %.0f %% of jobs, %.0f %% of GPU hours",
        confidence.utilizationPercent(),
        confidence.memoryPercent(),
        confidence.durationPercent(),
        confidence.configurationPercent(),
        confidence.shareablePercent(),
        confidence.shareableGpuHoursPercent());
  }

  private Table<PolicyOutcome> table() {
    Table<PolicyOutcome> table = new Table<PolicyOutcome>().text("policy", PolicyOutcome::policy);
    for (Column column : columns()) {
      table = table.number(column.title(), column.cell());
    }
    return table;
  }

  /** A figure of each policy. */
  private record Column(String title, Function<PolicyOutcome, String> cell) {}

  private List<Column> columns() {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("GPUs needed", outcome -> range(outcome.gpusNeeded(), "%,.0f")));
    columns.add(new Column("GPU hours saved", outcome -> range(report.saved(outcome), "%,.0f")));
    columns.add(new Column("saved, %", this::savedPercent));
    if (price > 0) {
      columns.add(new Column("money saved", this::money));
    }
    columns.add(new Column("waiting", outcome -> Words.count(outcome.waits().jobs())));
    columns.add(new Column("mean wait", outcome -> duration(outcome.waits().meanSeconds())));
    columns.add(new Column("longest", outcome -> duration(outcome.waits().longestSeconds())));
    if (report.outcomes().stream().anyMatch(outcome -> outcome.waits().unplaced() > 0)) {
      columns.add(new Column("never started", outcome -> Words.count(outcome.waits().unplaced())));
    }
    columns.add(
        new Column("out of memory", outcome -> range(outcome.harm().outOfMemory(), "%,.0f")));
    columns.add(new Column("slowed > 1.15", outcome -> range(outcome.harm().slowed(), "%,.0f")));
    columns.add(new Column("mean slowdown", outcome -> range(outcome.harm().slowdown(), "%.2f")));
    columns.add(new Column("95th perc.", outcome -> range(outcome.harm().slowdown95(), "%.2f")));
    return columns;
  }

  private String savedPercent(PolicyOutcome outcome) {
    return String.format(
        Locale.ROOT, "%.1f", 100 * report.saved(outcome).mean() / report.baselineGpuHours());
  }

  private String money(PolicyOutcome outcome) {
    return String.format(Locale.ROOT, "%,.2f", price * report.saved(outcome).mean());
  }

  /**
   * A section with the table and time lines in the recorded fleet.
   *
   * @param runs of each policy, by product
   */
  void writeTo(HtmlReport page, Map<DeviceId, List<RecordedRun>> runs) {
    page.section(report.recorded().source(), report.answer(price));
    List<String> header = new ArrayList<>(List.of("policy"));
    columns().forEach(column -> header.add(column.title()));
    List<List<String>> rows = new ArrayList<>();
    for (PolicyOutcome outcome : report.outcomes()) {
      List<String> row = new ArrayList<>(List.of(outcome.policy()));
      columns().forEach(column -> row.add(column.cell().apply(outcome)));
      rows.add(row);
    }
    page.table(header, rows);
    page.part("Policies");
    report
        .outcomes()
        .forEach(outcome ->
            page.paragraph(outcome.policy() + ": " + Policies.named(outcome.policy()).rule()));
    page.part("Recording");
    facts().forEach(page::paragraph);
    if (!report.findings().isEmpty()) {
      page.table(
          List.of("data that could not be reconstructed or was left out", "count"),
          report.findings().stream()
              .map(finding -> List.of(finding.subject(), Words.count(finding.count())))
              .toList());
    }
    runs.forEach((device, ofDevice) -> {
      page.part("In the recorded fleet, " + device);
      page.runs(ofDevice);
    });
  }

  private static String range(Range range, String format) {
    String mean = String.format(Locale.ROOT, format, range.mean());
    return range.lowest() == range.highest()
        ? mean
        : mean
            + " ("
            + String.format(Locale.ROOT, format, range.lowest())
            + "–"
            + String.format(Locale.ROOT, format, range.highest())
            + ")";
  }

  private static String duration(double seconds) {
    if (seconds >= 2 * HOUR) {
      return String.format(Locale.ROOT, "%.1f h", seconds / HOUR);
    }
    return seconds >= 2 * MINUTE
        ? String.format(Locale.ROOT, "%.1f min", seconds / MINUTE)
        : Math.round(seconds) + " s";
  }
}
