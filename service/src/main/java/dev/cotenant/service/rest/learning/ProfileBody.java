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

  private ProfileBody() {}

  /**
   * A row as it came.
   *
   * @param line of the CSV, or the place in the JSON array from 1
   */
  record Line(long line, Map<String, String> fields) {}

  /** The rows of a JSON document. */
  static List<Line> json(ProfilesDocument document) {
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
    return lines;
  }

  /**
   * The rows of a CSV whose first line names the columns.
   *
   * @throws InputException ({@code wrong-columns}, {@code malformed-csv}, {@code
   *     document-too-large})
   */
  static List<Line> csv(InputStream body) {
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
      requireKnown(parser.getHeaderNames());
      List<Line> lines = new ArrayList<>();
      for (CSVRecord row : parser) {
        requireFew(lines.size() + 1);
        lines.add(new Line(parser.getCurrentLineNumber(), fields(row, parser)));
      }
      return lines;
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
      return row.toMap();
    }
    return Map.of("(" + row.size() + " cells instead of " + columns + ")", "");
  }

  private static InputException malformed(String why, Throwable cause) {
    return new InputException(
        InputException.Kind.MALFORMED,
        "malformed-csv",
        "The body is no CSV: " + why.lines().findFirst().orElse("it cannot be read") + ".",
        cause);
  }

  private static void requireKnown(List<String> columns) {
    List<String> unknown =
        columns.stream().filter(name -> !ProfileFields.names().contains(name)).toList();
    if (columns.isEmpty() || !unknown.isEmpty()) {
      throw InputException.malformed(
          "wrong-columns",
          (columns.isEmpty()
                  ? "The CSV names no columns"
                  : "The CSV has columns that mean nothing ")
              + (unknown.isEmpty() ? "" : unknown)
              + ": use some of "
              + String.join(", ", ProfileFields.names())
              + ".");
    }
  }

  private static void requireFew(int rows) {
    if (rows > MAX_ROWS) {
      throw InputException.tooLarge(
          "too-many-rows", "At most " + MAX_ROWS + " rows may come at once: send several.");
    }
  }

  private static String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw malformed("it is not UTF-8", e);
    }
  }
}
