package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;

/** Prints the figures of evaluations, whatever their task. */
final class EvaluationTable {
  private static final String NOTHING = "-";

  private final List<EvaluationRow> rows;

  EvaluationTable(List<EvaluationRow> rows) {
    this.rows = List.copyOf(rows);
  }

  /** One object a figure, its keys the names of its components. */
  void printJson(Console console) {
    rows.forEach(console::json);
  }

  /** One line a figure, with its spread over seeds. */
  void print(Console console) {
    Table table =
        Table.of(
            "task",
            "protocol",
            "model",
            "metric",
            ">value",
            ">sd",
            ">min",
            ">max",
            ">rows",
            ">seeds",
            ">reference");
    for (EvaluationRow row : rows) {
      Double reference = row.reference();
      table.row(
          row.task(),
          row.protocol(),
          row.model(),
          row.metric(),
          number(row.value()),
          number(row.sd()),
          number(row.min()),
          number(row.max()),
          Words.count(row.rows()),
          String.valueOf(row.seeds()),
          reference == null ? "" : number(reference));
    }
    table.print(console);
  }

  private record Competitor(String protocol, String model) {}

  /** One line a model, one column a metric: for many models under few metrics. */
  void printByModel(Console console) {
    SequencedSet<String> metrics = new LinkedHashSet<>();
    SequencedMap<Competitor, Map<String, EvaluationRow>> models = new LinkedHashMap<>();
    for (EvaluationRow row : rows) {
      metrics.add(row.metric());
      models
          .computeIfAbsent(new Competitor(row.protocol(), row.model()), _ -> new LinkedHashMap<>())
          .put(row.metric(), row);
    }
    List<String> headings = new ArrayList<>(List.of("protocol", "model"));
    metrics.forEach(metric -> headings.add(">" + metric));
    headings.add(">rows");
    Table table = Table.of(headings.toArray(String[]::new));
    models.forEach((competitor, figures) -> table.row(cells(competitor, metrics, figures)));
    table.print(console);
  }

  private static String[] cells(
      Competitor competitor, SequencedSet<String> metrics, Map<String, EvaluationRow> figures) {
    List<String> cells = new ArrayList<>(List.of(competitor.protocol(), competitor.model()));
    for (String metric : metrics) {
      EvaluationRow figure = figures.get(metric);
      cells.add(figure == null ? NOTHING : number(figure.value()));
    }
    int most = figures.values().stream().mapToInt(EvaluationRow::rows).max().orElse(0);
    cells.add(Words.count(most));
    return cells.toArray(String[]::new);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.4f", value);
  }
}
