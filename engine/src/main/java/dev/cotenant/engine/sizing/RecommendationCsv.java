package dev.cotenant.engine.sizing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Recommendations as CSV, under the names of their JSON; an unknown value is empty. */
public final class RecommendationCsv {
  private static final Map<String, Function<Recommendation, Object>> COLUMNS = columns();

  private RecommendationCsv() {}

  private static Map<String, Function<Recommendation, Object>> columns() {
    Map<String, Function<Recommendation, Object>> columns = new LinkedHashMap<>();
    columns.put("namespace", row -> text(row.namespace()));
    columns.put("workload", row -> text(row.workload()));
    columns.put("product", row -> text(row.product()));
    columns.put("pods", Recommendation::pods);
    columns.put("gpus", Recommendation::gpus);
    columns.put("requested_bytes", row -> known(row.requested()));
    columns.put("predicted_bytes", row -> known(row.predicted()));
    columns.put("used_p50_bytes", Recommendation::usedMedian);
    columns.put("used_p99_bytes", Recommendation::used99);
    columns.put("used_max_bytes", Recommendation::usedMost);
    columns.put("recommended_bytes", Recommendation::recommended);
    columns.put("probability", row -> String.format(Locale.ROOT, "%.4f", row.probability()));
    columns.put("freed_bytes", row -> known(row.freed()));
    columns.put("money_per_hour", row -> known(row.money()));
    columns.put("back_tested", Recommendation::tested);
    columns.put("exceeded", Recommendation::exceeded);
    columns.put("last_seen_at", Recommendation::lastSeen);
    return columns;
  }

  /** The heading and a line for each row. */
  public static List<String> lines(List<Recommendation> rows) {
    List<String> lines = new ArrayList<>();
    lines.add(String.join(",", COLUMNS.keySet()));
    for (Recommendation row : rows) {
      lines.add(
          String.join(
              ",", COLUMNS.values().stream().map(column -> column.apply(row).toString()).toList()));
    }
    return lines;
  }

  private static Object known(@Nullable Object value) {
    return Objects.requireNonNullElse(value, "");
  }

  /** Quoted; a label that a spreadsheet takes for a formula begins with an apostrophe. */
  private static String text(String label) {
    String plain = label.matches("[=+\\-@].*") ? "'" + label : label;
    return '"' + plain.replaceAll("\\p{Cntrl}", " ").replace("\"", "\"\"") + '"';
  }
}
