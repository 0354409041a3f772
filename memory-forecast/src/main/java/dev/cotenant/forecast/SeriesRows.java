package dev.cotenant.forecast;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects the rows of one series file; every complaint starts with file:line. */
final class SeriesRows {
  static final String HEADER = "timestamp_seconds,used_memory_bytes[,capacity_bytes]";

  private static final String SHORT_HEADER = "timestamp_seconds,used_memory_bytes";
  private static final String LONG_HEADER = SHORT_HEADER + ",capacity_bytes";

  /** Digits and exponent are limited so that no cell can ask for a number of gigabytes. */
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?([0-9]{1,40}(\\.[0-9]{0,40})?|\\.[0-9]{1,40})([eE][+-]?[0-9]{1,2})?");

  /** DCGM's blank values start just below 2^63; no device has a petabyte. */
  private static final BigDecimal BLANK_BYTES = new BigDecimal("1e15");

  /** 9999-12-31T23:59:59Z; a timestamp in milliseconds is far beyond. */
  private static final BigDecimal LATEST_SECONDS = new BigDecimal("253402300799");

  private static final BigDecimal NANOSECONDS = new BigDecimal("1e9");
  private static final int LONGEST_QUOTE = 60;

  private final String file;
  private final int columns;
  private final List<MemorySample> samples = new ArrayList<>();
  private @Nullable Instant previous;
  private @Nullable MemorySize capacity;
  private int blanks;
  private int line = 1;

  SeriesRows(String file, String header) {
    this.file = file;
    columns =
        switch (header.strip()) {
          case SHORT_HEADER -> 2;
          case LONG_HEADER -> 3;
          default -> throw malformed("header " + quote(header) + " is not " + HEADER);
        };
  }

  /** Takes in a row; an empty line counts as none. */
  void add(int lineNumber, String row) {
    line = lineNumber;
    if (row.isBlank()) {
      return;
    }
    String[] cells = row.split(",", -1);
    if (cells.length != columns) {
      throw malformed("has " + cells.length + " columns, the header has " + columns);
    }
    Instant at = ascending(timestamp(cells[0]));
    BigDecimal used = number("used_memory_bytes", cells[1]);
    BigDecimal total = columns > 2 ? number("capacity_bytes", cells[2]) : BigDecimal.ONE;
    if (total.signum() == 0) {
      throw malformed("capacity_bytes must be positive");
    }
    if (isBlankValue(used) || isBlankValue(total)) {
      blanks++;
      return;
    }
    samples.add(new MemorySample(at, size(used)));
    if (columns > 2) {
      capacity = size(total);
    }
  }

  /** What the rows make; at least one must have been there. */
  RecordedSeries finish() {
    if (previous == null) {
      throw MemorySeriesCsv.empty(file, "has a header but no row");
    }
    return new RecordedSeries(new MemorySeries(samples), capacity, blanks);
  }

  private Instant timestamp(String cell) {
    BigDecimal seconds = number("timestamp_seconds", cell);
    if (seconds.compareTo(LATEST_SECONDS) > 0) {
      throw malformed(
          "timestamp_seconds " + quote(cell) + " is beyond the year 9999; are these milliseconds?");
    }
    BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
    long nanoseconds = seconds.subtract(whole).multiply(NANOSECONDS).longValue();
    return Instant.ofEpochSecond(whole.longValueExact(), nanoseconds);
  }

  private Instant ascending(Instant at) {
    if (previous != null && !at.isAfter(previous)) {
      throw malformed(
          "timestamp_seconds "
              + (at.equals(previous) ? "repeats the row before" : "is before the row before")
              + "; sort the file and keep one row a timestamp");
    }
    previous = at;
    return at;
  }

  private BigDecimal number(String column, String cell) {
    String text = cell.strip();
    if (!NUMBER.matcher(text).matches()) {
      throw malformed(column + " " + quote(text) + " is not a decimal number");
    }
    BigDecimal number = new BigDecimal(text);
    if (number.signum() < 0) {
      throw malformed(column + " " + quote(text) + " is negative");
    }
    return number;
  }

  private static boolean isBlankValue(BigDecimal bytes) {
    return bytes.compareTo(BLANK_BYTES) >= 0;
  }

  private static MemorySize size(BigDecimal bytes) {
    return MemorySize.ofBytes(bytes.setScale(0, RoundingMode.CEILING).longValueExact());
  }

  private InputException malformed(String what) {
    return InputException.malformed("series-malformed", file + ":" + line + ": " + what);
  }

  private static String quote(String text) {
    String cut = text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "..." : text;
    return "'" + printable(cut) + "'";
  }

  /** The text on one line: line breaks and what cannot be printed become question marks. */
  static String printable(String text) {
    return text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
  }
}
