package dev.cotenant.datasets.file;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a CSV file (RFC 4180), whose quoted cells may hold line breaks. A row of which a quoted
 * cell does not end within {@value #MOST_LINES} lines, or goes on after its end, is refused; the
 * line after its first is the next row.
 */
final class CsvRows {
  private static final int MOST_LINES = 20;
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
      Quoted cells = new Quoted(text);
      while (cells.isOpen() && following.size() < MOST_LINES) {
        String more = nextLine();
        if (more == null) {
          break;
        }
        following.add(more);
        cells = new Quoted(text.append('\n').append(more));
      }
      if (cells.isWhole()) {
        return cells.cells;
      }
      refused.accept(
          cells.isOpen()
              ? "a quotation mark has no end"
              : "text follows the end of a quoted cell; a quotation mark in a cell is doubled",
          number);
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

  /** A row with quoted cells. */
  private static final class Quoted {
    private final List<String> cells = new ArrayList<>();
    private final CharSequence text;
    private boolean open;
    private boolean broken;

    Quoted(CharSequence text) {
      this.text = text;
      int at = 0;
      while (at <= text.length() && !open && !broken) {
        boolean isQuoted = at < text.length() && text.charAt(at) == QUOTE;
        at = 1 + (isQuoted ? quoted(at + 1) : plain(at));
      }
    }

    boolean isOpen() {
      return open;
    }

    boolean isWhole() {
      return !open && !broken;
    }

    /** The index of the comma after the cell, or the length. */
    private int plain(int from) {
      int end = from;
      while (end < text.length() && text.charAt(end) != ',') {
        end++;
      }
      cells.add(text.subSequence(from, end).toString());
      return end;
    }

    /** The same of a quoted cell; {@code from} is after its quotation mark. */
    private int quoted(int from) {
      StringBuilder cell = new StringBuilder();
      for (int i = from; i < text.length(); i++) {
        if (text.charAt(i) != QUOTE) {
          cell.append(text.charAt(i));
        } else if (i + 1 < text.length() && text.charAt(i + 1) == QUOTE) {
          cell.append(QUOTE);
          i++;
        } else {
          cells.add(cell.toString());
          broken = i + 1 < text.length() && text.charAt(i + 1) != ',';
          return i + 1;
        }
      }
      open = true;
      return text.length();
    }
  }
}
