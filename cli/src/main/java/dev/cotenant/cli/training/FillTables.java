package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.text.Table;
import dev.cotenant.evaluation.fill.FillLine;
import dev.cotenant.evaluation.llm.LanguageModelFills;
import dev.cotenant.evaluation.predictor.NamedFills;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What filling in predicted memory would have freed and ended, as a curve over coverage. */
record FillTables(Console console, DeviceCatalogue devices) {
  static final String TASK = "fill";
  private static final String LANGUAGE_MODELS = "llm:";

  /**
   * Leaves one family out at a time.
   *
   * @param data measured runs of training, of language models ({@code llm:}), or both
   * @throws InputException ({@code nothing-scored}) where no set has runs of enough families
   */
  void evaluate(List<String> data, long seed, boolean json) {
    List<String> language = data.stream().filter(set -> set.startsWith(LANGUAGE_MODELS)).toList();
    List<String> trainings = data.stream().filter(set -> !language.contains(set)).toList();
    List<FillLine> lines = new ArrayList<>();
    if (!language.isEmpty() || trainings.isEmpty()) {
      lines.addAll(LanguageModelFills.of(new LlmTables(console).read(language)));
    }
    if (!trainings.isEmpty()) {
      List<ProfileRow> rows =
          new DataSets(console)
              .runs(trainings, LicenceScope.ANY, devices).stream()
                  .map(ProfileSource.Result::rows)
                  .flatMap(List::stream)
                  .toList();
      try (Progress progress = console.progress("Evaluating")) {
        progress.step("named jobs");
        lines.addAll(new NamedFills(devices, seed).of(rows));
      }
    }
    if (lines.isEmpty()) {
      throw InputException.malformed(
          "nothing-scored",
          "No run was scored: leaving one family out takes runs of at least three, and of named"
              + " jobs also rows of another host to learn from.");
    }
    if (json) {
      lines.forEach(this::printJson);
    } else {
      print(lines);
    }
  }

  private void printJson(FillLine line) {
    Map.of(
            "killed_percent", line.killedPercent(),
            "filled", (double) line.filled(),
            "freed_of_cards_percent", line.freedOfCards(),
            "freed_of_rule_percent", line.freedOfRule())
        .entrySet()
        .stream()
        .sorted(Map.Entry.comparingByKey())
        .map(figure ->
            EvaluationRow.overSeeds(
                new EvaluationRow.Subject(TASK, line.set(), line.rule(), figure.getKey()),
                new double[] {figure.getValue()},
                line.runs(),
                null))
        .forEach(console::json);
  }

  private void print(List<FillLine> lines) {
    new Table<FillLine>()
        .text("runs of", FillLine::set)
        .text("filled in", FillLine::rule)
        .number("runs", line -> Words.count(line.runs()))
        .number("filled", line -> Words.count(line.filled()))
        .number("killed", line -> Words.count(line.killed()))
        .number("killed %", line -> percent(line.killedPercent()))
        .number("freed of GPUs %", line -> percent(line.freedOfCards()))
        .number("freed of x 1.2 %", line -> percent(line.freedOfRule()))
        .print(lines, console);
  }

  private static String percent(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
