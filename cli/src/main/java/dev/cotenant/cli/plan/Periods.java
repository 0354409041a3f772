package dev.cotenant.cli.plan;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The instants at which periods end. */
@FunctionalInterface
public interface Periods {
  /**
   * Waits for the next one.
   *
   * @param period how long it takes
   * @param isFirst whether it is the first period, which starts at once
   */
  Instant next(Duration period, boolean isFirst) throws InterruptedException;

  /** Those of a clock. */
  static Periods of(InstantSource clock) {
    return (period, isFirst) -> {
      if (!isFirst) {
        Thread.sleep(period);
      }
      return clock.instant();
    };
  }
}
