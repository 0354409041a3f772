package dev.cotenant.forecast.prometheus;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads an answer of the query API as a stream. Memory is bounded: irrelevant labels are skipped,
 * and texts, series and samples are charged to a {@link RetainedBytes}.
 */
final class ResponseParser {
  private static final int MAX_NAME_LENGTH = 1_000;
  private static final int MAX_TEXT_LENGTH = 100_000;
  private static final int MAX_DEPTH = 20;

  /** Longest label value: names of Kubernetes end at 253 characters. */
  private static final int MAX_LABEL_LENGTH = 1_000;

  /** End of the year 9999, seconds since 1970: beyond it arithmetic on times overflows. */
  private static final double LAST_SECOND = 253_402_300_799.0;

  /** A time and a size as objects, and their place in a list. */
  private static final int SAMPLE_BYTES = 64;

  /** An entry of a map, with its key and its lists. */
  private static final int ENTRY_BYTES = 256;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNameLength(MAX_NAME_LENGTH)
                  .maxStringLength(MAX_TEXT_LENGTH)
                  .maxNestingDepth(MAX_DEPTH)
                  .build())
          .build();

  private final SeriesSink sink;
  private final Set<String> read;
  private final RetainedBytes retained;
  private final Samples samples = new Samples();
  private final List<String> warnings = new ArrayList<>();
  private final Map<String, String> names = new HashMap<>();
  private String status = "";
  private String resultType = "";
  private String error = "";

  /** Takes one series at a time; the arrays are used again for the next. */
  interface SeriesSink {
    void series(Map<String, String> labels, Samples samples);
  }

  /**
   * @param read labels that are read; others are skipped
   */
  ResponseParser(SeriesSink sink, Set<String> read, RetainedBytes retained) {
    this.sink = sink;
    this.read = read;
    this.retained = retained;
  }

  /**
   * Reads a whole answer.
   *
   * @throws IOException when it ends early, is no JSON, is no answer or exceeds the bound
   */
  void parse(InputStream in) throws IOException {
    try (JsonParser parser = JSON.createParser(in)) {
      require(parser.nextToken() == JsonToken.START_OBJECT, "is not a JSON object");
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String key = parser.currentName();
        JsonToken value = parser.nextToken();
        switch (key) {
          case "status" -> status = parser.getValueAsString("");
          case "error" -> error = parser.getValueAsString("");
          case "warnings" -> warnings(parser, value);
          case "data" -> data(parser, value);
          default -> parser.skipChildren();
        }
      }
      require(parser.currentToken() == JsonToken.END_OBJECT, "ends early");
    }
    require(status.equals("success") || status.equals("error"), "has no status");
  }

  /** The server's own complaint; empty where it has none. */
  String error() {
    return status.equals("error") && error.isEmpty() ? "error without a text" : error;
  }

  String resultType() {
    return resultType;
  }

  List<String> warnings() {
    return warnings;
  }

  private void warnings(JsonParser parser, JsonToken value) throws IOException {
    if (value != JsonToken.START_ARRAY) {
      parser.skipChildren();
      return;
    }
    while (more(parser)) {
      String warning = parser.getValueAsString("").replaceAll("\\p{C}", "?");
      retain(warning);
      warnings.add(warning);
      parser.skipChildren();
    }
  }

  private void data(JsonParser parser, JsonToken value) throws IOException {
    if (value != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return;
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      JsonToken inner = parser.nextToken();
      if (key.equals("resultType")) {
        resultType = parser.getValueAsString("");
      } else if (key.equals("result") && inner == JsonToken.START_ARRAY) {
        result(parser);
      } else {
        parser.skipChildren();
      }
    }
  }

  private void result(JsonParser parser) throws IOException {
    while (more(parser)) {
      if (parser.currentToken() == JsonToken.START_OBJECT) {
        series(parser);
      } else {
        parser.skipChildren(); // a scalar's time and value
      }
    }
  }

  private void series(JsonParser parser) throws IOException {
    Map<String, String> labels = new HashMap<>();
    samples.clear();
    retained.add(ENTRY_BYTES);
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      JsonToken value = parser.nextToken();
      if (key.equals("metric") && value == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          label(parser, labels);
        }
      } else if (key.equals("values") && value == JsonToken.START_ARRAY) {
        while (more(parser)) {
          sample(parser);
        }
      } else if (key.equals("value")) {
        sample(parser);
      } else {
        parser.skipChildren();
      }
    }
    sink.series(labels, samples);
  }

  /** Skips a label with a too long value. */
  private void label(JsonParser parser, Map<String, String> labels) throws IOException {
    String name = parser.currentName();
    JsonToken value = parser.nextToken();
    if (read.contains(name)
        && value == JsonToken.VALUE_STRING
        && parser.getTextLength() <= MAX_LABEL_LENGTH) {
      labels.put(name, shared(parser.getText()));
    }
    parser.skipChildren();
  }

  /** One text for equal label values: nodes and models repeat themselves. */
  private String shared(String text) throws IOException {
    String known = names.putIfAbsent(text, text);
    if (known == null) {
      retain(text);
    }
    return known == null ? text : known;
  }

  private void retain(String text) throws IOException {
    retained.add(ENTRY_BYTES + (long) Character.BYTES * text.length());
  }

  private void sample(JsonParser parser) throws IOException {
    require(parser.currentToken() == JsonToken.START_ARRAY, "has a sample that is not a pair");
    JsonToken time = parser.nextToken();
    require(time != null && time.isNumeric(), "has a sample without a time");
    double seconds =
        time == JsonToken.VALUE_NUMBER_INT ? parser.getLongValue() : parser.getDoubleValue();
    require(
        Math.abs(seconds) <= LAST_SECOND, "has a time after the year 9999 or as far before 1970");
    require(parser.nextToken() == JsonToken.VALUE_STRING, "has a value that is not a string");
    retained.add(SAMPLE_BYTES);
    samples.add(Math.round(seconds * 1_000), number(parser));
    require(parser.nextToken() == JsonToken.END_ARRAY, "has a sample that is not a pair");
  }

  private static double number(JsonParser parser) throws IOException {
    char[] text = parser.getTextCharacters();
    int from = parser.getTextOffset();
    int length = parser.getTextLength();
    long whole = 0;
    boolean digits = length > 0 && length < 18;
    for (int i = from; digits && i < from + length; i++) {
      digits = text[i] >= '0' && text[i] <= '9';
      whole = whole * 10 + (text[i] - '0');
    }
    return digits ? whole : decimal(new String(text, from, length));
  }

  private static double decimal(String text) throws IOException {
    return switch (text) {
      case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> {
        try {
          yield Double.parseDouble(text);
        } catch (NumberFormatException e) {
          throw new IOException("has a value that is not a number", e);
        }
      }
    };
  }

  private static boolean more(JsonParser parser) throws IOException {
    JsonToken token = parser.nextToken();
    require(token != null, "ends early");
    return token != JsonToken.END_ARRAY;
  }

  private static void require(boolean holds, String otherwise) throws IOException {
    if (!holds) {
      throw new IOException(otherwise);
    }
  }
}
