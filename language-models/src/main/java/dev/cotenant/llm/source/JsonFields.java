package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a JSON object, checked as they are read.
 *
 * @param place file, and the path of the object in it
 * @param values strings, longs, doubles, booleans, lists, maps and nulls, by key
 */
public record JsonFields(String place, Map<String, @Nullable Object> values) {
  private static final int MAX_QUOTE = 60;

  /** Whether the key is there with a value other than null. */
  public boolean has(String key) {
    return values.get(key) != null;
  }

  /** A whole number from {@code least} to {@code most}; empty where the key is absent or null. */
  public Optional<Long> whole(String key, long least, long most) {
    Object value = values.get(key);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
      value = number.longValue(); // 1e6 is a whole number
    }
    if (value instanceof Long number && number >= least && number <= most) {
      return Optional.of(number);
    }
    throw bad(key, value, "a whole number from " + least + " to " + most);
  }

  /** The first of several names of one quantity that is there. */
  public Optional<Integer> firstWhole(int least, int most, String... keys) {
    for (String key : keys) {
      Optional<Long> value = whole(key, least, most);
      if (value.isPresent()) {
        return value.map(Math::toIntExact);
      }
    }
    return Optional.empty();
  }

  /** A number of at least {@code least}, finite. */
  public Optional<Double> number(String key, double least, double most) {
    Object value = values.get(key);
    if (value == null) {
      return Optional.empty();
    }
    double number = value instanceof Number found ? found.doubleValue() : Double.NaN;
    if (!(number >= least && number <= most)) {
      throw bad(key, value, "a number from " + least + " to " + most);
    }
    return Optional.of(number);
  }

  /** A text. */
  public Optional<String> text(String key) {
    Object value = values.get(key);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof String text) {
      return Optional.of(text);
    }
    throw bad(key, value, "a text");
  }

  /** True or false. */
  public Optional<Boolean> truth(String key) {
    Object value = values.get(key);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof Boolean truth) {
      return Optional.of(truth);
    }
    throw bad(key, value, "true or false");
  }

  /** A list of texts; empty where the key is absent or null. */
  public List<String> texts(String key) {
    return switch (values.get(key)) {
      case null -> List.of();
      case String text -> List.of(text);
      case List<?> items when items.stream().allMatch(String.class::isInstance) ->
          items.stream().map(String.class::cast).toList();
      case Object other -> throw bad(key, other, "a list of texts");
    };
  }

  /** A list of whole numbers of at least 0; empty where the key is absent or null. */
  public List<Long> wholes(String key) {
    return switch (values.get(key)) {
      case null -> List.of();
      case List<?> items when items.stream().allMatch(item -> item instanceof Long n && n >= 0) ->
          items.stream().map(Long.class::cast).toList();
      case Object other -> throw bad(key, other, "a list of whole numbers of at least 0");
    };
  }

  /** An object within this one. */
  public Optional<JsonFields> object(String key) {
    return Optional.ofNullable(values.get(key)).map(value -> within(key, value, "an object"));
  }

  /** Objects of a list; empty where the key is absent or null. */
  public List<JsonFields> objects(String key) {
    return switch (values.get(key)) {
      case null -> List.of();
      case List<?> items ->
          items.stream().map(item -> within(key, item, "a list of objects")).toList();
      case Object other -> throw bad(key, other, "a list of objects");
    };
  }

  private JsonFields within(String key, @Nullable Object value, String expected) {
    if (value instanceof Map<?, ?> fields) {
      @SuppressWarnings("unchecked") // keys of JSON objects are texts
      Map<String, @Nullable Object> typed = (Map<String, @Nullable Object>) fields;
      return new JsonFields(place + ": " + PlainText.of(key), typed);
    }
    throw bad(key, String.valueOf(value), expected);
  }

  /** Error for an invalid value. */
  InputException bad(String key, Object value, String expected) {
    String text = PlainText.of(String.valueOf(value));
    String cut = text.length() > MAX_QUOTE ? text.substring(0, MAX_QUOTE) + "…" : text;
    return InputException.malformed(
        "bad-model-config",
        place + ": " + PlainText.of(key) + " is '" + cut + "', not " + expected + ".");
  }
}
