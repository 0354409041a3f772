package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.evaluation.forecast.ForecastEvaluation;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.util.ArrayList;
import java.util.List;

/** How wrong forecasts are on recorded series. */
final class ForecastTables {
  static final String TASK = "forecast";

  /** The set that standing figures are of. */
  private static final String STANDING = AlibabaGenAiSource.FORMAT;

  private ForecastTables() {}

  /**
   * Cross-validates within each set, or within those under the data folder where none is named.
   * Protocols of other sets than the standing one carry their format.
   */
  static List<EvaluationRow> standing(List<String> data, long seed, Console console) {
    List<String> names = data.isEmpty() ? published() : data;
    List<EvaluationRow> rows = new ArrayList<>();
    try (Progress progress = console.progress("Evaluating")) {
      for (SeriesSource.Result set : SeriesSets.read(names, console)) {
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
      for (SeriesSource.Result set : SeriesSets.read(data, console)) {
        ForecastEvaluation evaluation = new ForecastEvaluation(suffix(set), progress::step);
        rows.addAll(evaluation.test(set.devices(), PeakModelFile.shipped()));
      }
    }
    return rows;
  }

  private static String suffix(SeriesSource.Result set) {
    return set.format().equals(STANDING) ? "" : "/" + set.format();
  }

  private static List<String> published() {
    return PublishedData.folder().map(SeriesSets::under).orElse(List.of());
  }
}
