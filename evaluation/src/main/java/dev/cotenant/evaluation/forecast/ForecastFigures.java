package dev.cotenant.evaluation.forecast;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.evaluation.References;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;

/** Scores of folds as figures, in the order of the forecasters. */
final class ForecastFigures {
  private static final String TASK = "forecast";

  /** What point forecasts are measured against. */
  static final String REFERENCE = "persistence";

  private final String protocol;
  private final List<Map<String, WindowScores>> folds;
  private final Map<String, WindowScores> all;
  private final List<EvaluationRow> figures = new ArrayList<>();

  private ForecastFigures(String protocol, List<Map<String, WindowScores>> folds) {
    this.protocol = protocol;
    this.folds = folds;
    this.all = new LinkedHashMap<>();
    for (Map<String, WindowScores> fold : folds) {
      fold.forEach((name, score) -> all.computeIfAbsent(name, _ -> new WindowScores()).plus(score));
    }
  }

  static List<EvaluationRow> of(String protocol, List<Map<String, WindowScores>> folds) {
    ForecastFigures figures = new ForecastFigures(protocol, folds);
    figures.all.keySet().forEach(figures::add);
    return figures.figures;
  }

  private void add(String model) {
    int rows = score(all, model).windows();
    int restarts = score(all, model).restarts();
    add(model, "mae_mib", rows, (scores, name) -> score(scores, name).meanAbsoluteErrorMiB());
    add(
        model,
        "mae_ratio",
        rows,
        (scores, name) ->
            score(scores, name).meanAbsoluteErrorMiB()
                / score(scores, REFERENCE).meanAbsoluteErrorMiB());
    add(model, "coverage", rows, (scores, name) -> score(scores, name).coverage());
    add(model, "headroom_mib", rows, (scores, name) -> score(scores, name).headroomMiB());
    add(
        model,
        "restart_coverage",
        restarts,
        (scores, name) -> score(scores, name).restartCoverage());
    add(model, "violation_5_percent", rows, (scores, name) -> score(scores, name).hurtShare());
    add(
        model,
        "worst_device_coverage",
        rows,
        (scores, name) -> score(scores, name).worstDeviceCoverage());
    add(model, "answered", rows, (scores, name) -> score(scores, name).answeredShare());
  }

  private void add(
      String model,
      String metric,
      int rows,
      ToDoubleBiFunction<Map<String, WindowScores>, String> figure) {
    double[] values =
        folds.stream()
            .mapToDouble(fold -> figure.applyAsDouble(fold, model))
            .filter(Double::isFinite)
            .toArray();
    double value = figure.applyAsDouble(all, model);
    if (!Double.isFinite(value)) {
      return;
    }
    EvaluationRow.Subject subject = new EvaluationRow.Subject(TASK, protocol, model, metric);
    EvaluationRow spread = EvaluationRow.overSeeds(subject, values, rows, null);
    figures.add(
        new EvaluationRow(
            TASK,
            protocol,
            model,
            metric,
            value,
            spread.sd(),
            spread.min(),
            spread.max(),
            rows,
            folds.size(),
            References.PUBLISHED.find(subject)));
  }

  private static WindowScores score(Map<String, WindowScores> scores, String model) {
    WindowScores score = scores.get(model);
    return score == null ? new WindowScores() : score;
  }
}
