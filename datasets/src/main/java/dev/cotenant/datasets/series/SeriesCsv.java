package dev.cotenant.datasets.series;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a used-memory series of one device: columns {@code timestamp_seconds}, {@code
 * used_memory_bytes} and perhaps {@code capacity_bytes}, one row a sample, strictly ascending in
 * time.
 *
 * <p>Timestamps are seconds since the epoch, or since any start, from 0 to the end of the year
 * 9999; decimals count to the nanosecond. Sizes are bytes, rounded up to whole ones. A size of 1e15
 * or more is how DCGM writes a blank value: the row is dropped and counted.
 */
public final class SeriesCsv {
  private static final String TIME = "timestamp_seconds";
  private static final String USED = "used_memory_bytes";
  private static final String CAPACITY = "capacity_bytes";

  /** About a million rows, a year of samples every 30 s. */
  private static final long MAX_FILE_BYTES = 32 << 20;

  /** More than a plain file of that size holds; a compressed one could hold any number. */
  private static final long MAX_LINES = MAX_FILE_BYTES / 4;

  /** DCGM's blank values start just below 2^63; no device has a petabyte. */
  private static final double BLANK_BYTES = 1e15;

  private static final double MAX_BYTES = 0x1p63;

  /** 9999-12-31T23:59:59Z; a timestamp in milliseconds is far beyond. */
  private static final double MAX_SECONDS = 253_402_300_799.0;

  /** Decimals of a timestamp; more would take long to round. */
  private static final int MAX_SCALE = 60;

  private final List<MemorySample> samples = new ArrayList<>();
  private Instant previous = Instant.MIN;
  private @Nullable MemorySize capacity;
  private int blanks;

  private SeriesCsv() {}

  /**
   * A series and what its file says beside it.
   *
   * @param series its samples; empty where every row was blank
   * @param capacity capacity of the newest row that is not blank; null where the file does not say
   * @param blanksDropped rows left out because a value was a blank sentinel
   */
  public record Recorded(MemorySeries series, @Nullable MemorySize capacity, int blanksDropped) {}

  /**
   * The series in a file.
   *
   * @throws InputException as {@link DataFile}, {@code series-too-large} (over 32 MiB), {@code
   *     series-empty} (no row) or {@code series-malformed}, the last with file and line
   */
  public static Recorded read(Path file) {
    requireSize(file);
    SeriesCsv series = new SeriesCsv();
    new DataFile(file)
        .readTable(List.of(TIME, USED), row -> series.addOrFail(file, row), new ArrayList<>());
    if (series.previous.equals(Instant.MIN)) {
      throw InputException.malformed("series-empty", file + " has a header but no row.");
    }
    return new Recorded(new MemorySeries(series.samples), series.capacity, series.blanks);
  }

  private static void requireSize(Path file) {
    try {
      if (Files.exists(file) && (!Files.isRegularFile(file) || Files.size(file) > MAX_FILE_BYTES)) {
        throw tooLarge(file);
      }
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "series-unreadable", file + " cannot be read.", e);
    }
  }

  private static InputException tooLarge(Path file) {
    return InputException.tooLarge(
        "series-too-large",
        file + " is not a file of at most 32 MiB: cut the series to its newest part.");
  }

  private void addOrFail(Path file, DataRow row) {
    if (row.line() > MAX_LINES) {
      throw tooLarge(file);
    }
    try {
      add(row);
    } catch (UnusableRowException e) {
      throw InputException.malformed(
          "series-malformed", file + ":" + row.line() + ": " + e.getMessage() + ".");
    }
  }

  private void add(DataRow row) {
    Instant at = timestamp(row);
    if (!at.isAfter(previous)) {
      throw row.bad(TIME, "later than the row before: sort the file, one row a timestamp");
    }
    previous = at;
    double used = row.number(USED, 0, MAX_BYTES);
    double total = row.has(CAPACITY) ? row.number(CAPACITY, 1, MAX_BYTES) : 1;
    if (used >= BLANK_BYTES || total >= BLANK_BYTES) {
      blanks++;
      return;
    }
    samples.add(new MemorySample(at, MemorySize.ofBytesRoundedUp(used)));
    capacity = row.has(CAPACITY) ? MemorySize.ofBytesRoundedUp(total) : null;
  }

  private static Instant timestamp(DataRow row) {
    row.number(TIME, 0, MAX_SECONDS);
    BigDecimal seconds = new BigDecimal(row.text(TIME));
    if (seconds.scale() > MAX_SCALE) {
      throw new UnusableRowException(TIME + " has more than " + MAX_SCALE + " decimals");
    }
    BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
    long nanoseconds = seconds.subtract(whole).movePointRight(9).longValue();
    return Instant.ofEpochSecond(whole.longValueExact(), nanoseconds);
  }
}
