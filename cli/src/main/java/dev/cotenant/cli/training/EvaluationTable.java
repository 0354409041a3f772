package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.text.Table;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

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
    new Table<EvaluationRow>()
        .text("task", EvaluationRow::task)
        .text("protocol", EvaluationRow::protocol)
        .text("model", EvaluationRow::model)
        .text("metric", EvaluationRow::metric)
        .number("value", row -> number(row.value()))
        .number("sd", row -> number(row.sd()))
        .number("min", row -> number(row.min()))
        .number("max", row -> number(row.max()))
        .number("rows", row -> Words.count(row.rows()))
        .number("seeds", row -> String.valueOf(row.seeds()))
        .number("reference", row -> row.reference() == null ? "" : number(row.reference()))
        .print(rows, console);
  }

  private record Competitor(String protocol, String model) {}

  /** One line a model, one column a metric: for many models under few metrics. */
  void printByModel(Console console) {
    SequencedMap<Competitor, Map<String, EvaluationRow>> models = new LinkedHashMap<>();
    for (EvaluationRow row : rows) {
      models
          .computeIfAbsent(new Competitor(row.protocol(), row.model()), _ -> new LinkedHashMap<>())
          .put(row.metric(), row);
    }
    Table<Map.Entry<Competitor, Map<String, EvaluationRow>>> table =
        new Table<Map.Entry<Competitor, Map<String, EvaluationRow>>>()
            .text("protocol", entry -> entry.getKey().protocol())
            .text("model", entry -> entry.getKey().model());
    rows.stream()
        .map(EvaluationRow::metric)
        .distinct()
        .forEach(metric -> table.number(metric, entry -> cell(entry.getValue().get(metric))));
    table
        .number("rows", entry -> Words.count(mostRows(entry.getValue().values())))
        .print(models.entrySet(), console);
  }

  private static String cell(@Nullable EvaluationRow figure) {
    return figure == null ? NOTHING : number(figure.value());
  }

  private static int mostRows(Collection<EvaluationRow> figures) {
    return figures.stream().mapToInt(EvaluationRow::rows).max().orElse(0);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.4f", value);
  }
}
