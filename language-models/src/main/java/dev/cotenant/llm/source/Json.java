package dev.cotenant.llm.source;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one JSON document strictly: no key twice, nothing after it, bounded depth and length. */
public final class Json {
  private static final int MAX_NAME = 50_000;
  private static final int MAX_TEXT = 1 << 20;
  private static final int MAX_NUMBER = 100;
  private static final int MAX_VALUES = 5_000_000;
  private static final int MAX_PROBLEM = 160;

  /** A parser's own messages: a place, and the setting of a limit. */
  private static final Pattern SOURCE =
      Pattern.compile("\\[Source: [^;]*; line: ([0-9]+), column: ([0-9]+)]");

  private static final Pattern SETTING = Pattern.compile(", from `[^`]*`");

  private Json() {}

  /**
   * The object that a document holds.
   *
   * @param name of the file, for messages
   * @throws InputException ({@code not-json}) where it is none
   */
  public static JsonFields read(byte[] content, String name, SourceLimits limits) {
    return read(new ByteArrayInputStream(content), name, limits);
  }

  static JsonFields read(InputStream content, String name, SourceLimits limits) {
    try (JsonParser parser = factory(limits).createParser(content)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw notJson(name, "it does not begin with {");
      }
      int[] values = new int[1];
      Map<String, @Nullable Object> fields = object(parser, values, name);
      if (parser.nextToken() != null) {
        throw notJson(name, "something follows the object");
      }
      return new JsonFields(name, fields);
    } catch (IOException e) {
      throw notJson(name, problem(e));
    }
  }

  static JsonFactory factory(SourceLimits limits) {
    return JsonFactory.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(limits.depth())
                .maxNameLength(MAX_NAME)
                .maxStringLength(MAX_TEXT)
                .maxNumberLength(MAX_NUMBER)
                .build())
        .build();
  }

  private static Map<String, @Nullable Object> object(JsonParser parser, int[] values, String name)
      throws IOException {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      parser.nextToken();
      fields.put(key, value(parser, values, name));
    }
    return fields;
  }

  private static @Nullable Object value(JsonParser parser, int[] values, String name)
      throws IOException {
    if (++values[0] > MAX_VALUES) {
      throw InputException.tooLarge(
          "json-too-large", name + ": holds more than " + MAX_VALUES + " values.");
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, values, name);
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser, values, name));
        }
        yield items;
      }
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT -> whole(parser);
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case null, default -> throw notJson(name, "it ends within a value");
    };
  }

  /** A number beyond a long is kept as text, which no field of numbers accepts. */
  private static Object whole(JsonParser parser) throws IOException {
    return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
        ? parser.getText()
        : (Object) parser.getLongValue();
  }

  /** What a parser says in one short line; bytes of another encoding are no syntax error to it. */
  static String problem(IOException e) {
    String problem =
        e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage();
    String first = String.valueOf(problem).lines().findFirst().orElse("");
    String place = SOURCE.matcher(first).replaceAll("line $1, column $2");
    String line = PlainText.of(SETTING.matcher(place).replaceAll(""), " ");
    return line.length() > MAX_PROBLEM ? line.substring(0, MAX_PROBLEM) + "…" : line;
  }

  static InputException notJson(String name, String problem) {
    return InputException.malformed("not-json", name + ": is not a JSON object: " + problem + ".");
  }
}
