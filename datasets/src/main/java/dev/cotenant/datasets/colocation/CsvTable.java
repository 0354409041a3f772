package dev.cotenant.datasets.colocation;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * A CSV file with a header, read row by row; rows that cannot be used are listed with file:line.
 */
final class CsvTable {
  private final Path file;
  private final List<String> columns;

  /**
   * @param columns the columns that must be there; others are ignored
   */
  CsvTable(Path file, List<String> columns) {
    this.file = file;
    this.columns = columns;
  }

  /** One row; its cells are judged as they are read. */
  final class Row {
    private final CSVRecord cells;
    private final Map<String, Integer> positions;
    private final long line;

    private Row(CSVRecord cells, Map<String, Integer> positions, long line) {
      this.cells = cells;
      this.positions = positions;
      this.line = line;
    }

    String place() {
      return file.getFileName() + ":" + line;
    }

    String text(String column) {
      int position = Objects.requireNonNull(positions.get(column));
      if (position >= cells.size()) {
        throw new UnusableRowException("the row ends before column " + column);
      }
      String text = cells.get(position).strip();
      if (text.isEmpty()) {
        throw new UnusableRowException(column + " is empty");
      }
      return text;
    }

    boolean has(String column) {
      Integer position = positions.get(column);
      return position != null && position < cells.size() && !cells.get(position).isBlank();
    }

    /** A number from {@code least} to {@code most}. */
    double number(String column, double least, double most) {
      String text = text(column);
      double value = text.matches("[-+0-9.eE]{1,40}") ? parsed(text) : Double.NaN;
      if (!(value >= least && value <= most)) {
        throw new UnusableRowException(
            column + " '" + text + "' is not a number from " + least + " to " + most);
      }
      return value;
    }

    double positive(String column) {
      return number(column, Double.MIN_NORMAL, 1e12);
    }

    int batch(String column) {
      double value = number(column, 1, 1e6);
      if (value != Math.rint(value)) {
        throw new UnusableRowException(column + " '" + text(column) + "' is not a whole number");
      }
      return (int) value;
    }

    private static double parsed(String text) {
      try {
        return Double.parseDouble(text);
      } catch (NumberFormatException _) {
        return Double.NaN;
      }
    }
  }

  /** Hands every row to {@code use}; what it refuses goes to {@code rejected}. */
  void forEach(Consumer<Row> use, List<String> rejected) {
    try (CSVParser parser = CSVParser.parse(new StringReader(content()), CSVFormat.RFC4180)) {
      Iterator<CSVRecord> records = parser.iterator();
      Map<String, Integer> positions = header(records);
      while (records.hasNext()) {
        CSVRecord cells = records.next();
        if (cells.size() == 1 && cells.get(0).isBlank()) {
          continue;
        }
        long line = parser.getCurrentLineNumber();
        try {
          use.accept(new Row(cells, positions, line));
        } catch (UnusableRowException e) {
          rejected.add(file + ":" + line + ": " + e.getMessage());
        }
      }
    } catch (IOException | UncheckedIOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "colocation-unreadable",
          file + " is not CSV (" + e.getMessage() + ").",
          e);
    }
  }

  private Map<String, Integer> header(Iterator<CSVRecord> records) {
    Map<String, Integer> positions = new HashMap<>();
    if (records.hasNext()) {
      CSVRecord names = records.next();
      for (int i = 0; i < names.size(); i++) {
        positions.putIfAbsent(names.get(i).strip(), i);
      }
    }
    List<String> missing = columns.stream().filter(name -> !positions.containsKey(name)).toList();
    if (!missing.isEmpty()) {
      throw InputException.malformed(
          "colocation-columns",
          file + ":1: these columns are missing: " + String.join(", ", missing) + ".");
    }
    return positions;
  }

  private String content() {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "colocation-not-found", file + " does not exist.", e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "colocation-unreadable",
          file + " cannot be read as UTF-8 text.",
          e);
    }
  }
}
