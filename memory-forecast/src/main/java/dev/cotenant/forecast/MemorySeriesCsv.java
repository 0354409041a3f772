package dev.cotenant.forecast;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads a used-memory series of one device from {@code
 * timestamp_seconds,used_memory_bytes[,capacity_bytes]}.
 *
 * <p>UTF-8 with that header, one row a sample, strictly ascending in time. Timestamps are seconds
 * since the epoch, or since any start, from 0 to the end of the year 9999; decimals count to the
 * nanosecond. Sizes are bytes, rounded up to whole ones; decimals and exponents are understood. A
 * size of 1e15 or more is how DCGM writes a blank value: the row is dropped and counted. A byte
 * order mark, CRLF and empty lines are accepted, quoting is not.
 */
public final class MemorySeriesCsv {
  /** About a million rows, a year of samples every 30 s; also the guard against endless input. */
  private static final int LARGEST_FILE_BYTES = 32 << 20;

  private MemorySeriesCsv() {}

  /**
   * The series in a file.
   *
   * @throws InputException {@code series-not-found}, {@code series-unreadable}, {@code
   *     series-too-large} (over 32 MiB), {@code series-empty} (no row) or {@code series-malformed},
   *     the last with file:line
   */
  public static RecordedSeries read(Path file) {
    String name = SeriesRows.printable(file.toString());
    String text = decode(name, readBytes(name, file));
    List<String> lines = text.lines().toList();
    if (lines.stream().allMatch(String::isBlank)) {
      throw empty(name, "is empty");
    }
    SeriesRows rows = new SeriesRows(name, lines.getFirst());
    for (int i = 1; i < lines.size(); i++) {
      rows.add(i + 1, lines.get(i));
    }
    return rows.finish();
  }

  static InputException empty(String name, String what) {
    return InputException.malformed(
        "series-empty",
        name
            + " "
            + what
            + ": expected the header "
            + SeriesRows.HEADER
            + " and a row for each sample");
  }

  private static byte[] readBytes(String name, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LARGEST_FILE_BYTES + 1);
      if (bytes.length > LARGEST_FILE_BYTES) {
        throw InputException.tooLarge(
            "series-too-large", name + " is over 32 MiB: cut the series to its newest part");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "series-not-found", name + " does not exist", e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "series-unreadable",
          name
              + " cannot be read as a file: "
              + SeriesRows.printable(String.valueOf(e.getMessage())),
          e);
    }
  }

  private static String decode(String name, byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith("\uFEFF") ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "series-malformed", name + ":1: is not UTF-8 text", e);
    }
  }
}
