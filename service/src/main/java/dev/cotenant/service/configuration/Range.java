package dev.cotenant.service.configuration;

import dev.cotenant.domain.InputException;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks values of keys; what is out of range is named with its key, without the prefix. */
final class Range {
  private Range() {}

  static double between(String key, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw bad(
          key, "must be in [" + number(least) + ", " + number(most) + "], is " + number(value));
    }
    return value;
  }

  static Duration positive(String key, Duration duration) {
    if (!duration.isPositive()) {
      throw bad(key, "must be positive, is " + duration);
    }
    return duration;
  }

  /** The constant of this name, as it is written in configurations: {@code node-only}. */
  static <E extends Enum<E>> E choice(String key, String text, Class<E> type) {
    return Stream.of(type.getEnumConstants())
        .filter(constant -> word(constant).equals(text))
        .findFirst()
        .orElseThrow(() -> bad(key, "must be one of " + words(type) + ", is " + text));
  }

  static InputException bad(String key, String rule) {
    return InputException.invalidArgument(
        "bad-configuration", "cotenant." + key + " " + rule + ".");
  }

  private static String words(Class<? extends Enum<?>> type) {
    return Stream.of(type.getEnumConstants()).map(Range::word).collect(Collectors.joining(", "));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String number(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }
}
