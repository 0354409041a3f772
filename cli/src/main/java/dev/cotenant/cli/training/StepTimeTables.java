package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.steptime.StepTimeSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.text.Table;
import dev.cotenant.evaluation.steptime.StepTimeEvaluation;
import dev.cotenant.evaluation.steptime.StepTimeFigures;
import dev.cotenant.evaluation.steptime.StepTimeMetric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How wrong predicted step times are on published sets. */
record StepTimeTables(Console console) {
  static final String TASK = StepTimeFigures.TASK;

  /**
   * Cross-validates on the data, or those under the data folder where none is named; with rows to
   * test, learns from all data and scores these.
   *
   * @throws InputException ({@code nothing-scored}) where no row fits a protocol
   */
  List<StepTimeFigures> evaluate(List<String> data, List<String> test) {
    List<String> names = DataSets.orPublished(data, Importers.STEP_TIMES);
    StepTimeEvaluation evaluation = new StepTimeEvaluation(read(names), read(test));
    if (test.isEmpty() && names.isEmpty()) {
      throw SetNotes.noData(Importers.STEP_TIMES.formats());
    }
    try (Progress progress = console.progress("Evaluating")) {
      progress.step("step times");
      List<StepTimeFigures> figures = evaluation.evaluate();
      if (figures.isEmpty()) {
        throw InputException.malformed(
            "nothing-scored",
            "No row was scored: the sets have no usable rows, or --data has none to learn from.");
      }
      return figures;
    }
  }

  Map<String, List<StepTimeRun>> read(List<String> sets) {
    Map<String, List<StepTimeRun>> runs = new LinkedHashMap<>();
    for (String set : sets) {
      StepTimeSource.Result read = Importers.STEP_TIMES.open(set).read();
      SetNotes.print(console, set, read.runs().size(), read.rejected());
      runs.computeIfAbsent(read.format(), _ -> new ArrayList<>()).addAll(read.runs());
    }
    return runs;
  }

  void print(List<StepTimeFigures> figures) {
    new Table<StepTimeFigures>()
        .text("protocol", StepTimeFigures::protocol)
        .text("model", StepTimeFigures::model)
        .number("rows", line -> Words.count(line.rows()))
        .number("MAPE %", line -> cell(line, StepTimeMetric.MAPE))
        .number("median %", line -> cell(line, StepTimeMetric.MEDIAN))
        .number("in 1.3 %", line -> cell(line, StepTimeMetric.WITHIN))
        .number("coverage %", line -> cell(line, StepTimeMetric.COVERAGE))
        .number("excess %", line -> cell(line, StepTimeMetric.EXCESS))
        .number("pinball", line -> cell(line, StepTimeMetric.PINBALL))
        .text("bar", StepTimeFigures::barText)
        .text("result", StepTimeFigures::result)
        .print(figures, console);
  }

  private static String cell(StepTimeFigures line, StepTimeMetric metric) {
    Double value = line.values().get(metric);
    String format = metric == StepTimeMetric.PINBALL ? "%.3f" : "%.1f";
    return value == null ? "" : String.format(Locale.ROOT, format, value);
  }
}
