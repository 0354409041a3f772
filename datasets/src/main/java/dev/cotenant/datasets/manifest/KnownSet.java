package dev.cotenant.datasets.manifest;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * A file of a published set, known by its hash. No such file is part of this project.
 *
 * @param format the importer's format
 * @param file its name
 * @param sha256 its hash, 64 hexadecimal digits
 * @param rows rows, or series, in the file
 * @param licence the terms that its publisher states
 * @param state whether the file is as published or was prepared from what is published
 * @param download where the source data can be downloaded
 */
public record KnownSet(
    String format,
    String file,
    String sha256,
    int rows,
    String licence,
    String state,
    String download) {
  private static final String RESOURCE = "known-sets.csv";
  private static final List<KnownSet> ALL = read();

  public KnownSet {
    if (!sha256.matches("[0-9a-f]{64}")) {
      throw new IllegalArgumentException("sha256 must be 64 hexadecimal digits, is " + sha256);
    }
  }

  /** Known sets in manifest order. */
  public static List<KnownSet> all() {
    return ALL;
  }

  /** The set with this hash. */
  public static Optional<KnownSet> of(String sha256) {
    return ALL.stream().filter(set -> set.sha256().equals(sha256)).findFirst();
  }

  private static List<KnownSet> read() {
    try (InputStream in =
            Objects.requireNonNull(KnownSet.class.getResourceAsStream(RESOURCE), RESOURCE);
        Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8);
        CSVParser parser = CSVParser.parse(reader, CSVFormat.RFC4180)) {
      List<KnownSet> sets = new ArrayList<>();
      for (CSVRecord cells : parser) {
        if (cells.getRecordNumber() > 1) {
          sets.add(of(cells));
        }
      }
      return List.copyOf(sets);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KnownSet of(CSVRecord cells) {
    return new KnownSet(
        cells.get(0),
        cells.get(1),
        cells.get(2),
        Integer.parseInt(cells.get(3)),
        cells.get(4),
        cells.get(5),
        cells.get(6));
  }
}
