package dev.cotenant.service.replay;

import dev.cotenant.simulator.replay.ReplayReport;
import java.time.Instant;

/** The newest replay of this process. */
public sealed interface ReplayState {
  /** None was started. */
  record None() implements ReplayState {}

  /**
   * It runs.
   *
   * @param step what it does now
   */
  record Running(Instant started, String step) implements ReplayState {}

  /**
   * It has ended with a report.
   *
   * @param price of a GPU hour; 0 where none was stated
   */
  record Finished(Instant started, Instant ended, ReplayReport report, double price)
      implements ReplayState {}

  /** It has ended without one. */
  record Failed(Instant started, Instant ended, String message) implements ReplayState {}
}
