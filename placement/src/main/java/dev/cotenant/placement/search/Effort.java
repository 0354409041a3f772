package dev.cotenant.placement.search;

import java.util.function.LongSupplier;

/** When a search ends: after so much work, which is the same every time, or when time is over. */
final class Effort {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier nanos;
  private final long end;

  Effort(LongSupplier nanos, long millis) {
    this.nanos = nanos;
    end = nanos.getAsLong() + millis * NANOS_PER_MILLI;
  }

  boolean isOver() {
    return nanos.getAsLong() - end >= 0;
  }
}
