package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.profile.ProfileFields;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;

/** Reads rows of either kind as fields with their line. */
final class ProfileBody {
  private static final int MAX_ROWS = 20_000;

  /** Spreadsheet programs begin with it. */
  private static final String BYTE_ORDER_MARK = "\ufeff";

  private ProfileBody() {}

  /**
   * A row as it came.
   *
   * @param line of the CSV, or the place in the JSON array from 1
   */
  record Line(long line, Map<String, String> fields) {}

  /**
   * A body.
   *
   * @param lines its rows, of a CSV with the columns that mean something
   * @param ignored names of its other columns
   */
  record Rows(List<Line> lines, List<String> ignored) {
    Rows {
      lines = List.copyOf(lines);
      ignored = List.copyOf(ignored);
    }
  }

  /** The rows of a JSON document. */
  static Rows json(ProfilesDocument document) {
    var rows = Required.of(document.rows(), "rows");
    requireFew(rows.size());
    List<Line> lines = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      Map<String, String> fields = new LinkedHashMap<>();
      Map<String, JsonNode> row = rows.get(i);
      if (row != null) {
        row.forEach((name, value) -> {
          if (!value.isNull()) {
            fields.put(name, value.isValueNode() ? value.asText() : value.toString());
          }
        });
      }
      lines.add(new Line(i + 1L, fields));
    }
    return new Rows(lines, List.of());
  }

  /**
   * The rows of a CSV whose first line names the columns.
   *
   * @throws InputException ({@code wrong-columns}, {@code malformed-csv}, {@code
   *     document-too-large})
   */
  static Rows csv(InputStream body) {
    String text = utf8(JsonBody.bytes(body, JsonBody.MAX_ROWS_BYTES));
    CSVFormat format =
        CSVFormat.RFC4180
            .builder()
            .setHeader()
            .setDuplicateHeaderMode(DuplicateHeaderMode.DISALLOW)
            .setSkipHeaderRecord(true)
            .setIgnoreEmptyLines(true)
            .setTrim(true)
            .get();
    try (CSVParser parser = CSVParser.parse(text, format)) {
      List<String> ignored = ignored(parser.getHeaderNames());
      List<Line> lines = new ArrayList<>();
      for (CSVRecord row : parser) {
        requireFew(lines.size() + 1);
        lines.add(new Line(parser.getCurrentLineNumber(), fields(row, parser)));
      }
      return new Rows(lines, ignored);
    } catch (IllegalArgumentException | UncheckedIOException | CSVException e) {
      throw malformed(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new UncheckedIOException("reading a text cannot fail otherwise", e);
    }
  }

  /** A row of the wrong length gets an unknown field, so that its refusal names it. */
  private static Map<String, String> fields(CSVRecord row, CSVParser parser) {
    int columns = parser.getHeaderNames().size();
    if (row.size() == columns) {
      Map<String, String> fields = row.toMap();
      fields.keySet().retainAll(ProfileFields.names());
      return fields;
    }
    return Map.of("(" + row.size() + " cells instead of " + columns + ")", "");
  }

  private static InputException malformed(String why, Throwable cause) {
    return new InputException(
        InputException.Kind.MALFORMED,
        "malformed-csv",
        "The body is not a valid CSV: " + why.lines().findFirst().orElse("it cannot be read") + ".",
        cause);
  }

  private static List<String> ignored(List<String> columns) {
    List<String> ignored =
        columns.stream().filter(name -> !ProfileFields.names().contains(name)).toList();
    if (ignored.size() == columns.size()) {
      throw InputException.malformed(
          "wrong-columns",
          (columns.isEmpty()
                  ? "The CSV names no columns"
                  : "The CSV has only unknown columns " + ignored)
              + ": use some of "
              + String.join(", ", ProfileFields.names())
              + ".");
    }
    return ignored;
  }

  private static void requireFew(int rows) {
    if (rows > MAX_ROWS) {
      throw InputException.tooLarge(
          "too-many-rows", "At most " + MAX_ROWS + " rows may come at once: send several.");
    }
  }

  private static String utf8(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw malformed("it is not UTF-8", e);
    }
  }
}
