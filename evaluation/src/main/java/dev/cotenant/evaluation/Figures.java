package dev.cotenant.evaluation;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the figures of one task over seeds or folds, in the order in which they first come. */
public final class Figures {
  private static final double QUANTILE = 0.9;

  private record Values(List<Double> values, int rows) {}

  private final String task;
  private final References references;
  private final Map<Subject, Values> collected = new LinkedHashMap<>();

  /**
   * @param task as in {@link EvaluationRow#task}
   * @param references shown beside the figures
   */
  public Figures(String task, References references) {
    this.task = task;
    this.references = references;
  }

  /** The figures of one protocol. */
  public Sheet under(String protocol) {
    return new Sheet(this, protocol);
  }

  /** Adds to the figures of one protocol. */
  public record Sheet(Figures figures, String protocol) {
    /** As {@link Figures#add}. */
    public void add(String model, String metric, double value, int rows) {
      figures.add(protocol, model, metric, value, rows);
    }
  }

  /** Adds one seed's figure on so many test rows. */
  public void add(String protocol, String model, String metric, double value, int rows) {
    collected
        .computeIfAbsent(
            new Subject(task, protocol, model, metric), _ -> new Values(new ArrayList<>(), rows))
        .values()
        .add(value);
  }

  /** Adds the mean absolute percentage error; adds nothing without pairs. */
  public void addMape(String protocol, String model, Scores scores) {
    if (!scores.isEmpty()) {
      add(protocol, model, "mape", 100.0 * scores.mean(Scores::relative), scores.size());
    }
  }

  /** Adds quantiles of the absolute percentage error. */
  public void addQuantiles(String protocol, String model, Scores scores) {
    if (!scores.isEmpty()) {
      add(protocol, model, "median_ape", scores.quantile(Scores::relative, 0.5), scores);
      add(protocol, model, "p90_ape", scores.quantile(Scores::relative, 0.9), scores);
      add(protocol, model, "p95_ape", scores.quantile(Scores::relative, 0.95), scores);
    }
  }

  private void add(String protocol, String model, String metric, double fraction, Scores scores) {
    add(protocol, model, metric, 100.0 * fraction, scores.size());
  }

  /** Adds the mean absolute error. */
  public void addMae(String protocol, String model, Scores scores) {
    if (!scores.isEmpty()) {
      add(protocol, model, "mae", scores.mean(Scores::absolute), scores.size());
    }
  }

  /** Adds how often upper bounds hold, and their pinball loss. */
  public void addBound(String protocol, String model, Scores bounds) {
    if (!bounds.isEmpty()) {
      add(protocol, model, "bound_coverage", bounds.mean(Scores::held), bounds.size());
      addPinball(protocol, model, bounds);
    }
  }

  /** Adds the pinball loss of upper bounds. */
  public void addPinball(String protocol, String model, Scores bounds) {
    if (!bounds.isEmpty()) {
      add(
          protocol,
          model,
          "pinball",
          bounds.mean((actual, bound) -> Scores.pinball(actual, bound, QUANTILE)),
          bounds.size());
    }
  }

  /** One row per figure: means over seeds with their spread. */
  public List<EvaluationRow> rows() {
    List<EvaluationRow> rows = new ArrayList<>();
    collected.forEach((subject, values) ->
        rows.add(
            EvaluationRow.overSeeds(
                subject,
                values.values().stream().mapToDouble(Double::doubleValue).toArray(),
                values.rows(),
                references.find(subject))));
    return rows;
  }
}
