package dev.cotenant.domain.quantity;

/** The unit of latencies inside kernels, where times are plain numbers. */
public final class Milliseconds {
  /** Turns requests a millisecond into requests a second. */
  public static final double PER_SECOND = 1000;

  private Milliseconds() {}
}
