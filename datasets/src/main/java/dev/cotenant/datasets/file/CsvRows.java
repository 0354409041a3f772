package dev.cotenant.datasets.file;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a CSV file (RFC 4180), whose quoted cells may hold line breaks. A row is refused if a
 * quoted cell does not end within {@value #MAX_LINES} lines, or is followed by text; parsing
 * continues with the line after its first one.
 */
final class CsvRows {
  private static final int MAX_LINES = 20;
  private static final char QUOTE = '"';

  private final BufferedReader reader;
  private final ObjLongConsumer<String> refused;
  private final Deque<String> ahead = new ArrayDeque<>();
  private long line;

  /**
   * @param refused takes the reason and the line of a row that is none
   */
  CsvRows(BufferedReader reader, ObjLongConsumer<String> refused) {
    this.reader = reader;
    this.refused = refused;
  }

  /** The number of the last line of the newest row, from 1. */
  long line() {
    return line;
  }

  /** The cells of the next row; null at the end. */
  @Nullable List<String> next() throws IOException {
    for (String first = nextLine(); first != null; first = nextLine()) {
      if (first.indexOf(QUOTE) < 0) {
        return Arrays.asList(first.split(",", -1));
      }
      long number = line;
      List<String> following = new ArrayList<>();
      StringBuilder text = new StringBuilder(first);
      List<String> cells = cells(first);
      while (cells == null && following.size() < MAX_LINES) {
        String more = nextLine();
        if (more == null) {
          break;
        }
        following.add(more);
        cells = cells(text.append('\n').append(more).toString());
      }
      if (cells != null) {
        return cells;
      }
      refused.accept(
          "a quotation mark has no end, or text follows the end of a quoted cell", number);
      for (int i = following.size() - 1; i >= 0; i--) {
        ahead.push(following.get(i));
      }
      line = number;
    }
    return null;
  }

  private @Nullable String nextLine() throws IOException {
    String next = ahead.isEmpty() ? reader.readLine() : ahead.pop();
    line += next == null ? 0 : 1;
    return next;
  }

  /** The cells of a row; null where a quoted cell does not end, or goes on after its end. */
  private static @Nullable List<String> cells(String text) throws IOException {
    try (CSVParser parser = CSVParser.parse(text, CSVFormat.RFC4180)) {
      return parser.getRecords().getFirst().toList();
    } catch (UncheckedIOException _) {
      return null;
    }
  }
}
