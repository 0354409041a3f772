package dev.cotenant.cli.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows under headings, every column as wide as its widest cell, two spaces between columns. */
public final class Table {
  private static final String GAP = "  ";

  private final List<Column> columns;
  private final List<List<String>> rows = new ArrayList<>();

  /** A heading, and whether cells line up at their ends, as numbers do. */
  private record Column(String heading, boolean right) {}

  private Table(List<Column> columns) {
    this.columns = columns;
  }

  /** A heading that starts with {@code >} makes a column of numbers, lined up at their ends. */
  public static Table of(String... headings) {
    return new Table(
        Arrays.stream(headings)
            .map(heading ->
                heading.startsWith(">")
                    ? new Column(heading.substring(1), true)
                    : new Column(heading, false))
            .toList());
  }

  /** Adds a row of as many cells as there are columns. */
  public void row(String... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          "cells must be " + columns.size() + ", are " + cells.length);
    }
    rows.add(Arrays.stream(cells).map(Console::oneLine).toList());
  }

  /** The heading and all rows, without spaces at the end of a line. */
  public List<String> lines() {
    List<List<String>> all = new ArrayList<>();
    all.add(columns.stream().map(Column::heading).toList());
    all.addAll(rows);
    int[] widths =
        IntStream.range(0, columns.size())
            .map(c -> all.stream().mapToInt(row -> width(row.get(c))).max().orElse(0))
            .toArray();
    return all.stream().map(row -> line(row, widths)).toList();
  }

  /** Prints it as a result. */
  public void print(Console console) {
    lines().forEach(console::line);
  }

  private String line(List<String> row, int[] widths) {
    return IntStream.range(0, row.size())
        .mapToObj(c -> padded(row.get(c), widths[c], columns.get(c).right()))
        .collect(Collectors.joining(GAP))
        .stripTrailing();
  }

  private static String padded(String cell, int width, boolean right) {
    String space = " ".repeat(width - width(cell));
    return right ? space + cell : cell + space;
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
