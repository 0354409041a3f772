package dev.cotenant.cli.model;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import dev.cotenant.domain.workload.Load;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Predictions for people; those of one file on many devices in a narrow table on a terminal. */
final class PredictionTable {
  private final Console console;

  PredictionTable(Console console) {
    this.console = console;
  }

  /** One file's prediction: the table is printed once its widths are known. */
  record Row(Path file, Prediction prediction) {
    /** Properties shared by the rows of one question, without the device. */
    private String question() {
      return String.format(
          Locale.ROOT,
          "%s: %s, %s, batch %s",
          file,
          prediction.settings().mode(),
          prediction.settings().precision(),
          Words.count(prediction.batchSize()));
    }
  }

  void print(List<Row> rows) {
    if (rows.isEmpty()) {
      return;
    }
    Table<Row> whole = whole();
    if (rows.size() > 1 && !whole.fits(rows, console.width()) && isOneQuestion(rows)) {
      console.line(rows.getFirst().question());
      narrow().print(rows, console);
      console.line("In brackets the bounds" + coverage(rows.getFirst().prediction()) + ".");
    } else {
      whole.print(rows, console);
    }
    rows.forEach(this::printRates);
    printWarnings(rows);
  }

  private static boolean isOneQuestion(List<Row> rows) {
    return rows.stream().map(Row::question).distinct().count() == 1;
  }

  private static String coverage(Prediction prediction) {
    Coverage coverage = prediction.utilization().coverage();
    return coverage == null ? "" : " at " + coverage;
  }

  private static Table<Row> whole() {
    return new Table<Row>()
        .text("file", row -> row.file().toString())
        .text("device", row -> row.prediction().device().value())
        .text("mode", row -> row.prediction().settings().mode().toString())
        .text("precision", row -> row.prediction().settings().precision().toString())
        .number("batch", row -> Words.count(row.prediction().batchSize()))
        .text("utilization", row -> Words.of(row.prediction().utilization()))
        .text("peak memory", row -> Words.of(row.prediction().peakMemory()))
        .text("step time", row -> row.prediction().stepTimeIfKnown().map(Words::of).orElse("-"))
        .text(
            "samples/s",
            row ->
                row.prediction()
                    .stepTimeIfKnown()
                    .map(step -> Words.of(step.capacity(row.prediction().batchSize())))
                    .orElse("-"))
        .text("calibration rows", row -> Words.calibration(row.prediction()));
  }

  /** At most 80 characters, for all devices of the catalogue. */
  private static Table<Row> narrow() {
    return new Table<Row>()
        .text("device", row -> row.prediction().device().value())
        .text("busy %", row -> percent(row.prediction().utilization()))
        .text("memory GiB", row -> gibibytes(row.prediction().peakMemory()))
        .text(
            "step ms",
            row -> row.prediction().stepTimeIfKnown().map(PredictionTable::millis).orElse("-"))
        .number("samples/s", row -> perSecond(row.prediction()));
  }

  private static String percent(UtilizationEstimate estimate) {
    return String.format(
        Locale.ROOT,
        "%.0f (%.0f–%.0f)",
        estimate.mean().percent(),
        estimate.lower().percent(),
        estimate.upper().percent());
  }

  private static String gibibytes(MemoryEstimate estimate) {
    return bounds(
        gibibytes(estimate.mean()), gibibytes(estimate.lower()), gibibytes(estimate.upper()));
  }

  private static double gibibytes(MemorySize size) {
    return size.bytes() / (double) MemorySize.GIB;
  }

  private static String millis(StepTimeEstimate step) {
    return bounds(1e3 * step.meanSeconds(), 1e3 * step.lowerSeconds(), 1e3 * step.upperSeconds());
  }

  private static String bounds(double mean, double lower, double upper) {
    return brief(mean) + " (" + brief(lower) + "–" + brief(upper) + ")";
  }

  /** With a decimal below 100. */
  private static String brief(double number) {
    return String.format(Locale.ROOT, number < 99.95 ? "%.1f" : "%,.0f", number);
  }

  private static String perSecond(Prediction prediction) {
    return prediction
        .stepTimeIfKnown()
        .map(step -> brief(step.capacity(prediction.batchSize()).meanPerSecond()))
        .orElse("-");
  }

  /** Utilization of inference by its request rate, where no rate is stated. */
  private void printRates(Row row) {
    Prediction prediction = row.prediction();
    if (prediction.settings().load().equals(Load.UNSTATED)) {
      prediction
          .serving()
          .ifPresent(serving ->
              new Table<Serving.AtRate>()
                  .text("file", _ -> row.file().toString())
                  .number("requests/s", at -> Serving.text(at.requestsPerSecond()))
                  .text("utilization", at -> Words.of(at.utilization()))
                  .print(serving.byRate(), console));
    }
  }

  /** Each once, however many devices it is about. */
  private void printWarnings(List<Row> rows) {
    Map<String, Set<String>> devices = new LinkedHashMap<>();
    for (Row row : rows) {
      for (String warning : row.prediction().warnings()) {
        devices
            .computeIfAbsent("warning: " + row.file() + ": " + warning, _ -> new HashSet<>())
            .add(row.prediction().device().value());
      }
    }
    devices.forEach(
        (line, of) -> console.note(of.size() == 1 ? line : line + " (" + of.size() + " devices)"));
  }
}
