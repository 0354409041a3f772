package dev.cotenant.domain.quantity;

/**
 * The share of cases in which an interval or a one-sided bound holds.
 *
 * @param fraction 0 to 1, such as 0.9; 1 for bounds that nothing can pass
 */
public record Coverage(double fraction) implements Comparable<Coverage> {
  /** Of bounds that cannot be exceeded. */
  public static final Coverage CERTAIN = new Coverage(1);

  /** The level of bounds where a request names none: 90 %. */
  public static final Coverage STANDARD = new Coverage(0.9);

  public Coverage {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new IllegalArgumentException("fraction must be in [0, 1], is " + fraction);
    }
  }

  public static Coverage of(double fraction) {
    return new Coverage(fraction);
  }

  /** The lesser of both. */
  public Coverage min(Coverage other) {
    return compareTo(other) <= 0 ? this : other;
  }

  @Override
  public int compareTo(Coverage other) {
    return Double.compare(fraction, other.fraction);
  }

  /** In thousandths, rounded down, so that no bound states more than it holds. */
  public int perMille() {
    return (int) Math.floor(fraction * 1_000 + Rounding.SLACK);
  }

  /** In percent with at most one decimal, rounded down. */
  @Override
  public String toString() {
    int perMille = perMille();
    int tenths = perMille % 10;
    return perMille / 10 + (tenths == 0 ? " %" : "." + tenths + " %");
  }
}
