package dev.cotenant.interference.evaluate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects figures over seeds, in the order in which they first come. */
final class Figures {
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

  List<Figure> rows() {
    List<Figure> rows = new ArrayList<>();
    collected.forEach((key, values) -> {
      double[] v = values.values().stream().mapToDouble(Double::doubleValue).toArray();
      double mean = Arrays.stream(v).average().orElseThrow();
      double squares = Arrays.stream(v).map(x -> (x - mean) * (x - mean)).sum();
      rows.add(
          new Figure(
              key.protocol(),
              key.model(),
              key.metric(),
              mean,
              v.length > 1 ? Math.sqrt(squares / (v.length - 1)) : 0,
              Arrays.stream(v).min().orElseThrow(),
              Arrays.stream(v).max().orElseThrow(),
              values.rows(),
              v.length,
              References.find(key.protocol(), key.model(), key.metric())));
    });
    return rows;
  }
}
