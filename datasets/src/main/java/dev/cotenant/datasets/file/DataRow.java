package dev.cotenant.datasets.file;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.PlainText;
import java.util.List;
import java.util.Map;

/** One row of a table; its cells are checked as they are read. */
public final class DataRow {
  private static final double MAX_MIB = 1 << 24;
  private static final int MAX_QUOTE = 60;

  private final DataFile file;
  private final long line;
  private final List<String> cells;
  private final Map<String, Integer> positions;

  DataRow(DataFile file, long line, List<String> cells, Map<String, Integer> positions) {
    this.file = file;
    this.line = line;
    this.cells = cells;
    this.positions = positions;
  }

  /** Its line in the file, from 1. */
  public long line() {
    return line;
  }

  /** File and line, such as {@code runs.csv:17}. */
  public String place() {
    return file.path().getFileName() + ":" + line;
  }

  /** How many cells it has. */
  public int size() {
    return cells.size();
  }

  /** Whether the column is there and its cell holds anything. */
  public boolean has(String column) {
    Integer position = positions.get(column);
    return position != null && position < cells.size() && !cells.get(position).isBlank();
  }

  /**
   * A cell without the blanks around it.
   *
   * @throws UnusableRowException where the row is too short or the cell empty
   */
  public String text(String column) {
    String text = textOrEmpty(column);
    if (text.isEmpty()) {
      throw new UnusableRowException(column + " is empty");
    }
    return text;
  }

  /**
   * As {@link #text}, but a cell may be empty.
   *
   * @throws UnusableRowException where the row is too short
   */
  public String textOrEmpty(String column) {
    int position = positions.getOrDefault(column, Integer.MAX_VALUE);
    if (position >= cells.size()) {
      throw new UnusableRowException("the row ends before column " + column);
    }
    return cells.get(position).strip();
  }

  /**
   * A number from {@code least} to {@code most}.
   *
   * @throws UnusableRowException where the cell holds something else
   */
  public double number(String column, double least, double most) {
    String text = text(column);
    double value = text.matches("[-+0-9.eE]{1,40}") ? parsed(text) : Double.NaN;
    if (!(value >= least && value <= most)) {
      throw bad(column, "a number from " + limit(least) + " to " + limit(most));
    }
    return value;
  }

  /** A number from 0 to 100. */
  public double percent(String column) {
    return number(column, 0, 100);
  }

  /** A size in MiB, from {@code least} of them to 16 TiB. */
  public MemorySize mebibytes(String column, double least) {
    return MemorySize.ofBytesRoundedUp(number(column, least, MAX_MIB) * MemorySize.MIB);
  }

  /** A number above 0. */
  public double positive(String column) {
    return number(column, Double.MIN_NORMAL, 1e12);
  }

  /**
   * A whole number in digits alone, from {@code least} to {@code most}.
   *
   * @throws UnusableRowException where the cell holds something else
   */
  public long integer(String column, long least, long most) {
    String text = text(column);
    if (text.matches("[0-9]{1,19}")) {
      try {
        long value = Long.parseLong(text);
        if (value >= least && value <= most) {
          return value;
        }
      } catch (NumberFormatException _) {
        throw bad(column, "a whole number from " + least + " to " + most);
      }
    }
    throw bad(column, "a whole number from " + least + " to " + most);
  }

  /** Samples in a batch: a whole number from 1, also written as 32.0. */
  public int batch(String column) {
    double value = number(column, 1, 1e6);
    if (value != Math.rint(value)) {
      throw bad(column, "a whole number");
    }
    return (int) value;
  }

  /** One of these words. */
  public String oneOf(String column, List<String> words) {
    String text = text(column);
    if (!words.contains(text)) {
      throw bad(column, String.join(" or ", words));
    }
    return text;
  }

  /** Refuses a cell. */
  public UnusableRowException bad(String column, String expected) {
    String text = PlainText.of(textOrEmpty(column));
    String cut = text.length() > MAX_QUOTE ? text.substring(0, MAX_QUOTE) + "…" : text;
    return new UnusableRowException(column + " '" + cut + "' is not " + expected);
  }

  private static String limit(double value) {
    if (value == Double.MIN_NORMAL) {
      return "above 0";
    }
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }

  private static double parsed(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException _) {
      return Double.NaN;
    }
  }
}
