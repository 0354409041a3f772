package dev.cotenant.interference.profile;

import dev.cotenant.domain.InputException;

/** Ranges of coefficients. */
final class Check {
  private Check() {}

  static void positive(String name, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw refused(name, "positive and finite", value);
    }
  }

  static void notNegative(String name, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw refused(name, "at least 0 and finite", value);
    }
  }

  static void within(String name, double low, double high, double value) {
    if (!(value >= low && value <= high)) {
      throw refused(name, low + " to " + high, value);
    }
  }

  static void finite(String name, double value) {
    if (!Double.isFinite(value)) {
      throw refused(name, "finite", value);
    }
  }

  private static InputException refused(String name, String range, double value) {
    return InputException.invalidArgument(
        "profile-out-of-range", name + " must be " + range + ", is " + value + ".");
  }
}
