package dev.cotenant.service.decisions;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongConsumer;

/**
 * Which of many alike lines are logged: the first ten of a minute, and at the next one how many
 * were not. Thread safe.
 */
final class SampledLines {
  static final int MAX = 10;
  private static final Duration PERIOD = Duration.ofMinutes(1);

  private final InstantSource clock;
  private Instant end = Instant.MIN;
  private long lines;

  SampledLines(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Logs a line, or counts it.
   *
   * @param line logs it
   * @param skipped logs how many were left out since the line before
   */
  synchronized void log(Runnable line, LongConsumer skipped) {
    Instant now = clock.instant();
    if (!now.isBefore(end)) {
      if (lines > MAX) {
        skipped.accept(lines - MAX);
      }
      end = now.plus(PERIOD);
      lines = 0;
    }
    lines++;
    if (lines <= MAX) {
      line.run();
    }
  }
}
