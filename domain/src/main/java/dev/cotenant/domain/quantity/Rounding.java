package dev.cotenant.domain.quantity;

/** What computed numbers may be off. */
public final class Rounding {
  /** More than that of sums and quotients: 0.29 · 1,000 is 289.99999999999994. */
  public static final double SLACK = 1e-9;

  private Rounding() {}
}
