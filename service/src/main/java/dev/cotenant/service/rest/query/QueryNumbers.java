package dev.cotenant.service.rest.query;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.engine.model.CoverageLevel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Numbers in query parameters; the framework itself would answer a bad one with 404. */
public final class QueryNumbers {
  private QueryNumbers() {}

  /** A whole number of at least 1, or null where the parameter is absent. */
  public static @Nullable Integer positive(String parameter, @Nullable String text) {
    return text == null ? null : parse(parameter, text);
  }

  /** As {@link #positive}, with a default for an absent parameter. */
  public static int positiveOr(int absent, String parameter, @Nullable String text) {
    return text == null ? absent : parse(parameter, text);
  }

  /** The level of bounds; 90 % where the parameter is absent. */
  public static Coverage coverage(@Nullable String text) {
    if (text == null) {
      return Coverage.STANDARD;
    }
    if (!text.matches("[01]?\\.?\\d{1,9}")) {
      throw InputException.invalidArgument(
          "bad-number", "Parameter coverage: '" + text + "' is not a share of cases such as 0.9.");
    }
    return CoverageLevel.of(Double.parseDouble(text), "Parameter coverage");
  }

  /** {@code NAME=N} pairs; a name given twice means the last. */
  public static Map<String, Integer> dimensions(List<String> pairs) {
    Map<String, Integer> dimensions = new HashMap<>();
    for (String pair : pairs) {
      int equals = pair.lastIndexOf('=');
      if (equals < 1) {
        throw InputException.invalidArgument(
            "bad-dimension", "Parameter dim: '" + pair + "' is not of the form NAME=N.");
      }
      dimensions.put(
          pair.substring(0, equals),
          parse("dim " + pair.substring(0, equals), pair.substring(equals + 1)));
    }
    return dimensions;
  }

  private static int parse(String parameter, String text) {
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < 1) {
      throw InputException.invalidArgument(
          "bad-number",
          "Parameter " + parameter + ": '" + text + "' is not a whole number from 1 to 999999999.");
    }
    return Integer.parseInt(text);
  }
}
