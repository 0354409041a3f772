package dev.cotenant.service.replay;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.simulator.replay.ReplayReport;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The newest replay of this process. */
public sealed interface ReplayState {
  /** None was started. */
  record None() implements ReplayState {}

  /**
   * It runs.
   *
   * @param by who started it
   * @param step what it does now
   */
  record Running(Instant started, String by, String step) implements ReplayState {}

  /**
   * The replay has finished with a report.
   *
   * @param by who started it
   * @param length of the history
   * @param price of a GPU hour; 0 where none was stated
   * @param limits under which it ran
   * @param changed results of the same jobs under changed limits; null without a comparison
   */
  record Finished(
      Instant started,
      Instant ended,
      String by,
      Duration length,
      ReplayReport report,
      double price,
      SharingLimits limits,
      @Nullable Changed changed)
      implements ReplayState {}

  /** The product's policy under other limits. */
  record Changed(SharingLimits limits, ReplayReport report) {}

  /** It has ended without one. */
  record Failed(Instant started, Instant ended, String by, String message) implements ReplayState {}
}
