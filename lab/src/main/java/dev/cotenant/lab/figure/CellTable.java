package dev.cotenant.lab.figure;

import dev.cotenant.domain.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Cells as text: a table with the number of each reading, then the readings.
 *
 * @param cells in order
 */
public record CellTable(List<Cell> cells) {
  private static final double SMALL = 10;

  public CellTable {
    cells = List.copyOf(cells);
  }

  /** For a terminal. */
  public List<String> lines() {
    List<String> readings = readings();
    List<String> lines =
        new ArrayList<>(
            new Table<Cell>()
                .text("table", Cell::table)
                .text("metric", Cell::metric)
                .text("policy", Cell::policy)
                .number("published", cell -> number(cell.published()))
                .number("ours", cell -> number(cell.ours().mean()))
                .number("± 95 %", cell -> number(cell.ours().halfWidth()))
                .number("bar", CellTable::bar)
                .number("reading", cell -> number(readings, cell))
                .lines(cells));
    for (int i = 0; i < readings.size(); i++) {
      lines.add("[" + (i + 1) + "] " + readings.get(i));
    }
    return lines;
  }

  /** A heading and a line for each cell [RFC 4180]; an empty field where there is no figure. */
  public List<String> csv() {
    List<String> lines = new ArrayList<>();
    for (Cell cell : cells) {
      if (lines.isEmpty()) {
        lines.add(String.join(",", cell.asMap().keySet()));
      }
      lines.add(
          cell.asMap().values().stream().map(CellTable::field).collect(Collectors.joining(",")));
    }
    return lines;
  }

  private static String field(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    return text.matches("[^\",\r\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  private List<String> readings() {
    return cells.stream().map(Cell::reading).distinct().toList();
  }

  private static String number(List<String> readings, Cell cell) {
    return String.valueOf(readings.indexOf(cell.reading()) + 1);
  }

  /** A limit with its side; {@code missed} where it does not hold, empty without one. */
  public static String bar(Cell cell) {
    Cell.Bar bar = cell.bar();
    if (bar == null) {
      return "";
    }
    String side =
        switch (bar.side()) {
          case AT_LEAST -> "≥ ";
          case AT_MOST -> "≤ ";
        };
    return side + number(bar.value()) + (cell.meetsItsBar() ? "" : " missed");
  }

  /** A figure with about four digits; a dash for null. */
  public static String number(@Nullable Double value) {
    if (value == null) {
      return "–";
    }
    double figure = Objects.requireNonNull(value);
    return String.format(Locale.ROOT, Math.abs(figure) < SMALL ? "%.3f" : "%.1f", figure);
  }
}
