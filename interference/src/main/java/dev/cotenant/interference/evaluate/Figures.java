package dev.cotenant.interference.evaluate;

import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects figures over seeds, in the order in which they first come. */
final class Figures {
  private static final String TASK = "interference";
  private static final double PERCENT = 100;
  private static final double QUANTILE = 0.9;

  private record Key(String protocol, String model, String metric) {}

  private record Values(List<Double> values, int rows) {}

  private final Map<Key, Values> collected = new LinkedHashMap<>();

  void add(String protocol, String model, String metric, double value, int rows) {
    collected
        .computeIfAbsent(new Key(protocol, model, metric), _ -> new Values(new ArrayList<>(), rows))
        .values()
        .add(value);
  }

  /** Mean absolute percentage error. */
  void addMape(String protocol, String model, Scores scores) {
    if (scores.size() > 0) {
      add(protocol, model, "mape", PERCENT * scores.mean(Scores::relative), scores.size());
    }
  }

  /** Quantiles of the absolute percentage error. */
  void addQuantiles(String protocol, String model, Scores scores) {
    if (scores.size() > 0) {
      add(protocol, model, "median_ape", PERCENT * scores.relativeQuantile(0.5), scores.size());
      add(protocol, model, "p90_ape", PERCENT * scores.relativeQuantile(0.9), scores.size());
      add(protocol, model, "p95_ape", PERCENT * scores.relativeQuantile(0.95), scores.size());
    }
  }

  /** Mean absolute error. */
  void addMae(String protocol, String model, Scores scores) {
    if (scores.size() > 0) {
      add(protocol, model, "mae", scores.mean(Scores::absolute), scores.size());
    }
  }

  /** Whether upper bounds hold, and their pinball loss. */
  void addBound(String protocol, String model, Scores bounds) {
    if (bounds.size() > 0) {
      add(protocol, model, "bound_coverage", bounds.mean(Scores::held), bounds.size());
      addPinball(protocol, model, bounds);
    }
  }

  void addPinball(String protocol, String model, Scores bounds) {
    if (bounds.size() > 0) {
      add(
          protocol,
          model,
          "pinball",
          bounds.mean((actual, bound) -> Scores.pinball(actual, bound, QUANTILE)),
          bounds.size());
    }
  }

  List<EvaluationRow> rows() {
    List<EvaluationRow> rows = new ArrayList<>();
    collected.forEach((key, values) ->
        rows.add(
            EvaluationRow.overSeeds(
                new EvaluationRow.Subject(TASK, key.protocol(), key.model(), key.metric()),
                values.values().stream().mapToDouble(Double::doubleValue).toArray(),
                values.rows(),
                References.find(key.protocol(), key.model(), key.metric()))));
    return rows;
  }
}
