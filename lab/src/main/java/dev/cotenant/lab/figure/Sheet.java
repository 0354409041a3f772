package dev.cotenant.lab.figure;

import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Cell.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects the runs of policies over seeds and turns them into cells.
 *
 * @param <T> a run
 */
public final class Sheet<T> {
  private final String table;
  private final SequencedMap<String, List<T>> runs = new LinkedHashMap<>();
  private final List<Cell> cells = new ArrayList<>();

  public Sheet(String table) {
    this.table = table;
  }

  /** A published figure with its bar and reading. */
  public record Published(@Nullable Double value, @Nullable Bar bar, String reading) {
    public static Published none(String reading) {
      return new Published(null, null, reading);
    }
  }

  public void add(String policy, T totals) {
    runs.computeIfAbsent(policy, _ -> new ArrayList<>()).add(totals);
  }

  /** A row for each policy. */
  public void figure(
      String metric, ToDoubleFunction<T> figure, Function<String, Published> published) {
    runs.forEach((policy, totals) ->
        cell(policy, metric, totals.stream().map(figure::applyAsDouble).toList(), published));
  }

  /** A row for each policy, each run divided by that of another policy on the same seed. */
  public void ratio(
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

  /**
   * Two policies to compare on the same seeds.
   *
   * @param own policy of this project
   * @param other to which it is compared
   */
  public record Versus(String own, String other) {}

  /** A row of the table of margins: the figure of the first run beside the second of its seed. */
  public void margin(
      String metric, Versus versus, ToDoubleBiFunction<T, T> figure, Published published) {
    List<T> own = runs.getOrDefault(versus.own(), List.of());
    List<T> other = runs.getOrDefault(versus.other(), List.of());
    List<Double> margins = new ArrayList<>();
    for (int seed = 0; seed < own.size(); seed++) {
      margins.add(figure.applyAsDouble(own.get(seed), other.get(seed)));
    }
    cells.add(
        new Cell(
            table + ", margins",
            versus.own() + " − " + versus.other(),
            metric,
            Sample.of(margins),
            published.value(),
            published.bar(),
            published.reading()));
  }

  /** The difference of a figure in percent of the second. */
  public static <T> ToDoubleBiFunction<T, T> percent(ToDoubleFunction<T> figure) {
    return (own, other) -> 100 * (figure.applyAsDouble(own) / figure.applyAsDouble(other) - 1);
  }

  /** The difference of a figure. */
  public static <T> ToDoubleBiFunction<T, T> difference(ToDoubleFunction<T> figure) {
    return (own, other) -> figure.applyAsDouble(own) - figure.applyAsDouble(other);
  }

  private void cell(
      String policy, String metric, List<Double> values, Function<String, Published> published) {
    Published other = published.apply(policy);
    cells.add(
        new Cell(
            table, policy, metric, Sample.of(values), other.value(), other.bar(), other.reading()));
  }

  public List<Cell> cells() {
    return List.copyOf(cells);
  }
}
