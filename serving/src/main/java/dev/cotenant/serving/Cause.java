package dev.cotenant.serving;

import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Why a partition changes, with the numbers of its service.
 *
 * @param kind what happened
 * @param ratePerSecond the moving average
 * @param plannedBefore requests per second that the last target was made for
 * @param plannedAfter requests per second that the new target was planned for
 * @param p99Millis measured, where it matters
 * @param sloMillis the objective
 */
public record Cause(
    Kind kind,
    double ratePerSecond,
    double plannedBefore,
    double plannedAfter,
    OptionalDouble p99Millis,
    double sloMillis) {
  /** What happened. */
  public enum Kind {
    RATE_ROSE("its rate may exceed the planned rate"),
    RATE_FELL("its rate is below the planned rate"),
    LATENCY("its latency exceeds the prediction"),
    NEIGHBOURS("its GPU changes"),
    NEW("it is new"),
    REMOVED("it is no longer in the fleet");

    private final String clause;

    Kind(String clause) {
      this.clause = clause;
    }
  }

  /** One clause for people, with numbers and units. */
  public String clause() {
    return switch (kind) {
      case RATE_ROSE, RATE_FELL ->
          String.format(
              Locale.ROOT,
              "%s: %.1f requests a second, planned for %.1f before, %.1f now",
              kind.clause,
              ratePerSecond,
              plannedBefore,
              plannedAfter);
      case LATENCY ->
          String.format(
              Locale.ROOT,
              "%s: %.1f ms of %.1f ms",
              kind.clause,
              p99Millis.orElse(Double.NaN),
              sloMillis);
      case NEIGHBOURS, NEW, REMOVED -> kind.clause;
    };
  }
}
