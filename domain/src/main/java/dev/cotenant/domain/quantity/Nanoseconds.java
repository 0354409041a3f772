package dev.cotenant.domain.quantity;

/** The unit of durations and clocks, where times are plain numbers. */
public final class Nanoseconds {
  /** Turns seconds into nanoseconds. */
  public static final double PER_SECOND = 1e9;

  private Nanoseconds() {}
}
