package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Collects the figures of one table over seeds, in the order in which they first came. */
final class Figures {
  /** By how much our RMSLE is below the forest's on the same split. */
  static final String GAIN = "rmsle_gain_over_forest";

  /** So many draws have a mean that is about normal. */
  private static final int ENOUGH_DRAWS = 30;

  private static final double NORMAL_95 = 1.96;

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
        .flatMap(entry -> rows(entry.getKey(), entry.getValue(), references))
        .toList();
  }

  /** Of a gain over enough draws also the ends of the 95 % interval of its mean. */
  private Stream<EvaluationRow> rows(Key key, Series series, References references) {
    EvaluationRow row = row(key, series, references);
    if (!key.metric().equals(GAIN) || row.seeds() < ENOUGH_DRAWS) {
      return Stream.of(row);
    }
    double margin = NORMAL_95 * row.sd() / Math.sqrt(row.seeds());
    return Stream.of(
        row,
        end(row, GAIN + "_lower95", row.value() - margin),
        end(row, GAIN + "_upper95", row.value() + margin));
  }

  private static EvaluationRow end(EvaluationRow row, String metric, double value) {
    return new EvaluationRow(
        row.task(),
        row.protocol(),
        row.model(),
        metric,
        value,
        0,
        value,
        value,
        row.rows(),
        row.seeds(),
        null);
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
