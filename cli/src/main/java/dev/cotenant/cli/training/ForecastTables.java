package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.evaluation.forecast.ForecastEvaluation;
import dev.cotenant.evaluation.forecast.SizingEvaluation;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How wrong forecasts are on recorded series. */
final class ForecastTables {
  static final String TASK = "forecast";

  /** The set that standing figures are of. */
  private static final String STANDING = AlibabaGenAiSource.FORMAT;

  private static final Duration SIZING_WINDOW = Duration.ofHours(4);

  private ForecastTables() {}

  /**
   * Cross-validates within each set, or within those under the data folder where none is named.
   * Protocols of other sets than the standing one carry their format.
   */
  static List<EvaluationRow> standing(List<String> data, long seed, Console console) {
    List<String> names = DataSets.orPublished(data, Importers.SERIES);
    List<EvaluationRow> rows = new ArrayList<>();
    try (Progress progress = console.progress("Evaluating")) {
      for (SeriesSource.Result set : new DataSets(console).series(names)) {
        ForecastEvaluation evaluation = new ForecastEvaluation(suffix(set), progress::step);
        rows.addAll(evaluation.crossValidate(set.devices(), seed));
      }
    }
    return rows;
  }

  /** Tests the shipped model on each set. */
  static List<EvaluationRow> given(List<String> data, Console console) {
    List<EvaluationRow> rows = new ArrayList<>();
    try (Progress progress = console.progress("Testing")) {
      for (SeriesSource.Result set : new DataSets(console).series(data)) {
        ForecastEvaluation evaluation = new ForecastEvaluation(suffix(set), progress::step);
        rows.addAll(evaluation.test(set.devices(), PeakModelFile.shipped()));
      }
    }
    return rows;
  }

  /** Recommends memory from one window for the next, in each set. */
  static List<EvaluationRow> sizing(List<String> data, long seed, Console console) {
    List<String> names = data.isEmpty() ? DataSets.orPublished(data, Importers.SERIES) : data;
    List<EvaluationRow> rows = new ArrayList<>();
    try (Progress progress = console.progress("Evaluating")) {
      for (SeriesSource.Result set : new DataSets(console).series(names)) {
        if (data.isEmpty() && !set.format().equals(STANDING)) {
          continue; // of seconds, not of hours
        }
        SizingEvaluation evaluation =
            new SizingEvaluation(SIZING_WINDOW, "walk-forward" + suffix(set), progress::step);
        rows.addAll(evaluation.crossValidate(set.devices(), seed));
      }
    }
    return rows;
  }

  private static String suffix(SeriesSource.Result set) {
    return set.format().equals(STANDING) ? "" : "/" + set.format();
  }
}
