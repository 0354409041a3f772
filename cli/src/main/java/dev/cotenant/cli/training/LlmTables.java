package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.llm.LanguageModelSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Table;
import dev.cotenant.evaluation.llm.LlmEvaluation;
import dev.cotenant.evaluation.llm.LlmFigures;
import dev.cotenant.llm.MeasuredRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How wrong the predicted memory of language models is on published runs. */
record LlmTables(Console console) {
  static final String TASK = LlmFigures.TASK;

  /**
   * Leaves one family out at a time; with runs to test, learns from all data and scores these.
   *
   * @throws InputException ({@code nothing-scored}) where no quantity has rows of enough families
   */
  void evaluate(List<String> data, List<String> test, boolean json) {
    List<Path> folders = new ArrayList<>();
    MeasuredRuns known = read(published(data), folders);
    List<LlmFigures> figures = evaluate(known, read(test, folders));
    if (json) {
      figures.forEach(line -> line.rowsOfEvaluation().forEach(console::json));
    } else {
      print(figures);
    }
  }

  private static List<String> published(List<String> data) {
    List<String> names = DataSets.orPublished(data, Importers.LANGUAGE_MODELS);
    if (names.isEmpty()) {
      throw SetNotes.noData(Importers.LANGUAGE_MODELS.formats());
    }
    return names;
  }

  /** The runs of sets, of the published ones where none is named. */
  MeasuredRuns read(List<String> data) {
    return read(published(data), new ArrayList<>());
  }

  private List<LlmFigures> evaluate(MeasuredRuns known, MeasuredRuns tested) {
    try (Progress progress = console.progress("Evaluating")) {
      progress.step("language models");
      List<LlmFigures> figures = new LlmEvaluation(known, tested).evaluate();
      if (figures.isEmpty()) {
        throw InputException.malformed(
            "nothing-scored",
            "No row was scored: leaving one family out takes rows of at least three.");
      }
      return figures;
    }
  }

  /** Models missing in a set are searched in the folders of the preceding sets. */
  private MeasuredRuns read(List<String> sets, List<Path> folders) {
    MeasuredRuns runs = MeasuredRuns.NONE;
    for (String set : sets) {
      LanguageModelSource source = Importers.LANGUAGE_MODELS.open(set);
      LanguageModelSource.Result read = source.read(folders);
      folders.add(source.folder());
      runs = runs.plus(read.runs());
      SetNotes.print(console, set, read.runs().size(), read.rejected());
    }
    return runs;
  }

  private void print(List<LlmFigures> figures) {
    new Table<LlmFigures>()
        .text("quantity", LlmFigures::quantity)
        .text("model", LlmFigures::model)
        .number("rows", line -> Words.count(line.rows()))
        .text("unit", LlmFigures::unit)
        .number("median", line -> cell(line.median()))
        .number("p90", line -> cell(line.high()))
        .number("worst", line -> cell(line.worst()))
        .number("coverage %", line -> cell(line.coverage()))
        .number("excess", line -> cell(line.excess()))
        .text("bar", line -> line.barText(false))
        .text("stretch", line -> line.barText(true))
        .text("result", LlmFigures::result)
        .print(figures, console);
  }

  private static String cell(double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%.3g", value);
  }
}
