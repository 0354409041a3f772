package dev.cotenant.domain.quantity;

/** The unit of fractions in documents, where they are plain numbers. */
public final class Percent {
  /** Turns a fraction into percent. */
  public static final double WHOLE = 100;

  private Percent() {}
}
