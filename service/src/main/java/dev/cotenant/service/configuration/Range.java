package dev.cotenant.service.configuration;

import dev.cotenant.domain.InputException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Checks values of keys; errors name the key without the prefix. */
final class Range {
  private Range() {}

  static double between(String key, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw bad(
          key, "must be in [" + number(least) + ", " + number(most) + "], is " + number(value));
    }
    return value;
  }

  static Optional<Double> between(String key, OptionalDouble value, double least, double most) {
    return value.isPresent()
        ? Optional.of(between(key, value.getAsDouble(), least, most))
        : Optional.empty();
  }

  static Optional<Integer> between(String key, OptionalInt value, int least, int most) {
    return value.isPresent()
        ? Optional.of((int) between(key, (double) value.getAsInt(), least, most))
        : Optional.empty();
  }

  static Duration between(String key, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw bad(key, "must be " + words(least) + " to " + words(most) + ", is " + value);
    }
    return value;
  }

  private static String words(Duration whole) {
    return whole.toDays() > 0 ? whole.toDays() + "d" : whole.toHours() + "h";
  }

  static Duration positive(String key, Duration duration) {
    if (!duration.isPositive()) {
      throw bad(key, "must be positive, is " + duration);
    }
    return duration;
  }

  static InputException bad(String key, String rule) {
    return InputException.invalidArgument(
        "bad-configuration", "cotenant." + key + " " + rule + ".");
  }

  private static String number(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }
}
