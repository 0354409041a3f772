package dev.cotenant.predictor.evaluate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/** Collects the figures of one table over seeds, in the order in which they first came. */
final class Figures {
  private record Key(String model, String metric) {}

  private record Series(List<Double> values, int rows) {}

  private final String task;
  private final String protocol;
  private final Map<Key, Series> series = new LinkedHashMap<>();

  Figures(String task, String protocol) {
    this.task = task;
    this.protocol = protocol;
  }

  /** One seed's figure on so many test rows. */
  void add(String model, String metric, double value, int rows) {
    series
        .computeIfAbsent(new Key(model, metric), key -> new Series(new ArrayList<>(), rows))
        .values()
        .add(value);
  }

  List<EvaluationRow> rows(References references) {
    return series.entrySet().stream()
        .map(entry -> row(entry.getKey(), entry.getValue(), references))
        .toList();
  }

  private EvaluationRow row(Key key, Series series, References references) {
    double[] values = series.values().stream().mapToDouble(Double::doubleValue).toArray();
    double mean = DoubleStream.of(values).average().orElseThrow();
    double variance =
        DoubleStream.of(values).map(value -> (value - mean) * (value - mean)).sum()
            / Math.max(1, values.length - 1);
    return new EvaluationRow(
        task,
        protocol,
        key.model(),
        key.metric(),
        mean,
        Math.sqrt(variance),
        DoubleStream.of(values).min().orElseThrow(),
        DoubleStream.of(values).max().orElseThrow(),
        series.rows(),
        values.length,
        key.model().equals(Competitor.FOREST.label())
            ? references.find(task, protocol, key.metric())
            : null);
  }
}
