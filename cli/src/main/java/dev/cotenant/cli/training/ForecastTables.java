package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.forecast.evaluate.ForecastEvaluation;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** How wrong forecasts are on recorded series. */
final class ForecastTables {
  static final String TASK = "forecast";

  private ForecastTables() {}

  /** Cross-validates within each set. */
  static List<EvaluationRow> standing(List<String> data, long seed, Console console) {
    List<EvaluationRow> rows = new ArrayList<>();
    try (Progress progress = console.progress("Evaluating")) {
      for (SeriesSource.Result set : SeriesSets.read(data, console)) {
        rows.addAll(new ForecastEvaluation(progress::step).crossValidate(set.devices(), seed));
      }
    }
    return rows;
  }

  /** Tests the shipped model on each set. */
  static List<EvaluationRow> given(List<String> data, Console console) {
    List<EvaluationRow> rows = new ArrayList<>();
    try (Progress progress = console.progress("Testing")) {
      Consumer<String> step = progress::step;
      for (SeriesSource.Result set : SeriesSets.read(data, console)) {
        rows.addAll(new ForecastEvaluation(step).test(set.devices(), PeakModelFile.shipped()));
      }
    }
    return rows;
  }
}
