package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.forecast.evaluate.ForecastEvaluation;
import dev.cotenant.forecast.evaluate.ForecastFigure;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** The standing table of forecasts: one row a forecaster. */
final class ForecastTable {
  private static final List<String> PERCENT =
      List.of(
          "coverage",
          "restart_coverage",
          "violation_5_percent",
          "worst_device_coverage",
          "answered");

  private final Console console;

  ForecastTable(Console console) {
    this.console = console;
  }

  /** Cross-validates within each set. */
  List<ForecastFigure> crossValidate(List<String> data, long seed) {
    List<ForecastFigure> figures = new ArrayList<>();
    try (Progress progress = console.progress("Evaluating")) {
      for (SeriesSource.Result set : SeriesSets.read(data, console)) {
        figures.addAll(new ForecastEvaluation(progress::step).crossValidate(set.devices(), seed));
      }
    }
    return figures;
  }

  /** Tests the shipped model on each set. */
  List<ForecastFigure> test(List<String> data) {
    List<ForecastFigure> figures = new ArrayList<>();
    try (Progress progress = console.progress("Testing")) {
      Consumer<String> step = progress::step;
      for (SeriesSource.Result set : SeriesSets.read(data, console)) {
        figures.addAll(new ForecastEvaluation(step).test(set.devices(), PeakModelFile.shipped()));
      }
    }
    return figures;
  }

  void printJson(List<ForecastFigure> figures) {
    for (ForecastFigure f : figures) {
      console.json(
          new EvaluateCommand.FigureView(
              "forecast",
              f.protocol(),
              f.model(),
              f.metric(),
              f.value(),
              f.sd(),
              f.min(),
              f.max(),
              f.rows(),
              f.folds(),
              null));
    }
  }

  void print(List<ForecastFigure> figures) {
    Table table =
        Table.of(
            "protocol",
            "model",
            ">MAE, MiB",
            ">of persistence",
            ">coverage",
            ">headroom, MiB",
            ">after restart",
            ">exceeded by 5 %",
            ">worst series",
            ">answered",
            ">windows");
    Map<String, List<ForecastFigure>> rows = new LinkedHashMap<>();
    for (ForecastFigure figure : figures) {
      rows.computeIfAbsent(figure.protocol() + " " + figure.model(), _ -> new ArrayList<>())
          .add(figure);
    }
    for (List<ForecastFigure> row : rows.values()) {
      List<String> cells = new ArrayList<>(List.of(row.getFirst().protocol()));
      cells.add(row.getFirst().model());
      row.forEach(figure -> cells.add(number(figure)));
      cells.add(Words.count(row.getFirst().rows()));
      table.row(cells.toArray(String[]::new));
    }
    table.print(console);
    console.note(
        "Coverage, headroom and what follows: of the bound on the peak of the next 10"
            + " samples; an estimator without a bound is taken as one.");
  }

  private static String number(ForecastFigure figure) {
    double value = figure.value();
    if (Double.isNaN(value)) {
      return "-";
    }
    if (PERCENT.contains(figure.metric())) {
      return String.format(Locale.ROOT, "%.1f %%", 100 * value);
    }
    return String.format(Locale.ROOT, figure.metric().endsWith("_mib") ? "%.0f" : "%.3f", value);
  }
}
