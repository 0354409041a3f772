package dev.cotenant.simulator.lab;

import dev.cotenant.simulator.lab.Cell.Bar;
import dev.cotenant.simulator.lab.Cell.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects the runs of policies over seeds and turns them into cells.
 *
 * @param <T> a run
 */
final class Sheet<T> {
  private final String table;
  private final SequencedMap<String, List<T>> runs = new LinkedHashMap<>();
  private final List<Cell> cells = new ArrayList<>();

  Sheet(String table) {
    this.table = table;
  }

  /** A published figure with its bar and reading. */
  record Published(@Nullable Double value, @Nullable Bar bar, String reading) {
    static Published none(String reading) {
      return new Published(null, null, reading);
    }
  }

  void add(String policy, T totals) {
    runs.computeIfAbsent(policy, _ -> new ArrayList<>()).add(totals);
  }

  /** A row for each policy. */
  void figure(String metric, ToDoubleFunction<T> figure, Function<String, Published> published) {
    runs.forEach((policy, totals) ->
        cell(policy, metric, totals.stream().map(figure::applyAsDouble).toList(), published));
  }

  /** A row for each policy, each run divided by that of another policy on the same seed. */
  void ratio(
      String metric, String to, ToDoubleFunction<T> figure, Function<String, Published> published) {
    List<T> base = runs.getOrDefault(to, List.of());
    for (Map.Entry<String, List<T>> run : runs.entrySet()) {
      List<Double> ratios = new ArrayList<>();
      for (int seed = 0; seed < base.size(); seed++) {
        ratios.add(
            figure.applyAsDouble(run.getValue().get(seed)) / figure.applyAsDouble(base.get(seed)));
      }
      cell(run.getKey(), metric, ratios, published);
    }
  }

  private void cell(
      String policy, String metric, List<Double> values, Function<String, Published> published) {
    Published other = published.apply(policy);
    cells.add(
        new Cell(
            table, policy, metric, Sample.of(values), other.value(), other.bar(), other.reading()));
  }

  List<Cell> cells() {
    return List.copyOf(cells);
  }
}
