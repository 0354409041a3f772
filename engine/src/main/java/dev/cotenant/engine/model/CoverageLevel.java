package dev.cotenant.engine.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;

/** Reads the requested coverage of bounds. */
public final class CoverageLevel {
  private static final double MAX = 0.999;
  private static final double MIN = 0.5;

  private CoverageLevel() {}

  /**
   * The level of a share of cases.
   *
   * @param name of the option or field, for messages
   * @throws InputException ({@code coverage-out-of-range}) outside 0.5 to 0.999
   */
  public static Coverage of(double share, String name) {
    if (!(share >= MIN && share <= MAX)) {
      throw InputException.invalidArgument(
          "coverage-out-of-range",
          name + " must be " + MIN + " to " + MAX + ", such as 0.9, is " + share + ".");
    }
    return Coverage.of(share);
  }
}
