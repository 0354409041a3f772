package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    return EvaluationRow.overSeeds(
        new EvaluationRow.Subject(task, protocol, key.model(), key.metric()),
        series.values().stream().mapToDouble(Double::doubleValue).toArray(),
        series.rows(),
        key.model().equals(Competitor.LAYERED.label())
            ? references.find(task, protocol, key.metric())
            : null);
  }
}
