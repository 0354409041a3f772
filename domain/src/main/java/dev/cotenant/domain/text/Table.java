package dev.cotenant.domain.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
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

  /** A row of more lines than this is harder to read than a block of its own. */
  private static final int MAX_WRAPPED_LINES = 4;

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
    return lines(rows, Integer.MAX_VALUE);
  }

  /**
   * The lines for a terminal of {@code width} characters. Cells of a wider table are wrapped at
   * spaces; where that takes too many lines, each row becomes a block with a line for each column.
   */
  public List<String> lines(Collection<T> rows, int width) {
    List<List<String>> all = new ArrayList<>();
    all.add(columns.stream().map(Column::heading).toList());
    for (T row : rows) {
      all.add(columns.stream().map(c -> PlainText.of(c.cell().apply(row), " ").strip()).toList());
    }
    int[] widths = widths(all, List::of);
    int[] least = widths(all, Table::words);
    int available = width - GAP.length() * (columns.size() - 1);
    if (Arrays.stream(widths).asLongStream().sum() <= available) {
      return all.stream().map(row -> line(row, widths)).toList();
    }
    if (Arrays.stream(least).sum() > available) {
      return blocks(all, width);
    }
    narrow(widths, least, available);
    List<List<String>> wrapped = all.stream().map(row -> wrapped(row, widths)).toList();
    return wrapped.stream().anyMatch(row -> row.size() > MAX_WRAPPED_LINES)
        ? blocks(all, width)
        : wrapped.stream().flatMap(List::stream).toList();
  }

  /** Whether each row is one line of at most {@code width} characters. */
  public boolean fits(Collection<T> rows, int width) {
    return lines(rows).stream().allMatch(line -> width(line) <= width);
  }

  /** Prints the lines, as wide as the output allows. */
  public void print(Collection<T> rows, TextOutput output) {
    lines(rows, output.width()).forEach(output::line);
  }

  private int[] widths(List<List<String>> all, Function<String, List<String>> parts) {
    return IntStream.range(0, columns.size())
        .map(column ->
            all.stream()
                .flatMap(row -> parts.apply(row.get(column)).stream())
                .mapToInt(Table::width)
                .max()
                .orElse(0))
        .toArray();
  }

  /** Takes from the widest column that can give, until all fit. */
  private static void narrow(int[] widths, int[] least, int available) {
    for (int surplus = Arrays.stream(widths).sum() - available; surplus > 0; surplus--) {
      int widest =
          IntStream.range(0, widths.length)
              .filter(column -> widths[column] > least[column])
              .reduce((a, b) -> widths[b] > widths[a] ? b : a)
              .orElseThrow();
      widths[widest]--;
    }
  }

  private List<String> wrapped(List<String> row, int[] widths) {
    List<List<String>> cells =
        IntStream.range(0, row.size()).mapToObj(c -> wrap(row.get(c), widths[c])).toList();
    int height = cells.stream().mapToInt(List::size).max().orElse(0);
    return IntStream.range(0, height)
        .mapToObj(number ->
            line(
                cells.stream().map(cell -> number < cell.size() ? cell.get(number) : "").toList(),
                widths))
        .toList();
  }

  /** The cell in lines of at most {@code width} characters; a longer word has its own line. */
  private static List<String> wrap(String cell, int width) {
    List<String> lines = new ArrayList<>();
    String line = "";
    for (String word : words(cell)) {
      if (!line.isEmpty() && width(line) + 1 + width(word) > width) {
        lines.add(line);
        line = word;
      } else {
        line = line.isEmpty() ? word : line + " " + word;
      }
    }
    lines.add(line);
    return lines;
  }

  /** A block for each row: its first cell, then a line for each other column. */
  private List<String> blocks(List<List<String>> all, int width) {
    List<String> headings = all.getFirst();
    int[] widths = {headings.stream().skip(1).mapToInt(Table::width).max().orElse(0)};
    String indent = GAP.repeat(2) + " ".repeat(widths[0]);
    List<String> lines = new ArrayList<>();
    for (List<String> row : all.subList(1, all.size())) {
      lines.addAll(wrap(row.getFirst(), width));
      for (int column = 1; column < row.size(); column++) {
        String start = GAP + padded(headings.get(column), widths[0], Side.LEFT) + GAP;
        for (String part : wrap(row.get(column), width - indent.length())) {
          lines.add((start + part).stripTrailing());
          start = indent;
        }
      }
    }
    return lines;
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

  private static List<String> words(String cell) {
    return List.of(cell.split(" ", -1));
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
