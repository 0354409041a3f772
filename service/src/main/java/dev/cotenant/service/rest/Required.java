package dev.cotenant.service.rest;

import dev.cotenant.domain.InputException;
import org.jspecify.annotations.Nullable;

/** Mandatory arguments. */
public final class Required {
  private Required() {}

  /**
   * The value.
   *
   * @throws InputException ({@code missing-argument}) naming it where it is absent
   */
  public static <T> T of(@Nullable T value, String name) {
    if (value == null) {
      throw InputException.invalidArgument(
          "missing-argument", "'" + name + "' is missing: it must be given.");
    }
    return value;
  }
}
