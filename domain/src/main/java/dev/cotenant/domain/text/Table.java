package dev.cotenant.domain.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows under headings, every column as wide as its widest cell, two spaces between columns.
 *
 * @param <T> what one row shows
 */
public final class Table<T> {
  private static final String GAP = "  ";

  private final List<Column<T>> columns = new ArrayList<>();

  private record Column<T>(String heading, Function<T, String> cell, Side side) {}

  /** Where cells line up. */
  private enum Side {
    LEFT,
    RIGHT
  }

  /** Adds a column of text. */
  public Table<T> text(String heading, Function<T, String> cell) {
    columns.add(new Column<>(heading, cell, Side.LEFT));
    return this;
  }

  /** Adds a column of numbers, which line up at their ends. */
  public Table<T> number(String heading, Function<T, String> cell) {
    columns.add(new Column<>(heading, cell, Side.RIGHT));
    return this;
  }

  /** The heading and a line for each row, without spaces at the end of a line. */
  public List<String> lines(Collection<T> rows) {
    List<List<String>> all = new ArrayList<>();
    all.add(columns.stream().map(Column::heading).toList());
    for (T row : rows) {
      all.add(columns.stream().map(c -> PlainText.of(c.cell().apply(row), " ").strip()).toList());
    }
    int[] widths =
        IntStream.range(0, columns.size())
            .map(c -> all.stream().mapToInt(row -> width(row.get(c))).max().orElse(0))
            .toArray();
    return all.stream().map(row -> line(row, widths)).toList();
  }

  /** Prints the lines. */
  public void print(Collection<T> rows, Consumer<String> printer) {
    lines(rows).forEach(printer);
  }

  private String line(List<String> row, int[] widths) {
    return IntStream.range(0, row.size())
        .mapToObj(c -> padded(row.get(c), widths[c], columns.get(c).side()))
        .collect(Collectors.joining(GAP))
        .stripTrailing();
  }

  private static String padded(String cell, int width, Side side) {
    String space = " ".repeat(width - width(cell));
    return side == Side.RIGHT ? space + cell : cell + space;
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
