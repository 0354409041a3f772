package dev.cotenant.domain.quantity;

import java.util.Locale;

/**
 * The share of cases that an interval or a one-sided bound is meant to hold.
 *
 * @param fraction strictly between 0 and 1, such as 0.9
 */
public record Coverage(double fraction) {
  public Coverage {
    if (!(fraction > 0 && fraction < 1)) {
      throw new IllegalArgumentException("fraction must be in (0, 1), is " + fraction);
    }
  }

  public static Coverage of(double fraction) {
    return new Coverage(fraction);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.0f %%", fraction * 100);
  }
}
