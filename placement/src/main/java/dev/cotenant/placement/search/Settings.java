package dev.cotenant.placement.search;

import dev.cotenant.domain.InputException;
import java.time.Duration;

/**
 * How {@link Best} searches.
 *
 * @param timeLimit when it stops at the latest, positive; where it ends before, the plan depends on
 *     the fleet and the seed only
 * @param seed of everything random
 * @param throughputHeadroom by how much throughput must exceed each rate, as a share of it, 0 to 1
 */
public record Settings(Duration timeLimit, long seed, double throughputHeadroom) {
  private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(4);

  public Settings {
    if (!timeLimit.isPositive()) {
      throw InputException.invalidArgument(
          "time-limit-out-of-range", "The time limit must be above 0, is " + timeLimit + ".");
    }
    if (!(throughputHeadroom >= 0 && throughputHeadroom <= 1)) {
      throw InputException.invalidArgument(
          "headroom-out-of-range",
          "The throughput headroom must be 0 to 1, is " + throughputHeadroom + ".");
    }
  }

  /** Four seconds, no headroom. */
  public static Settings defaults() {
    return new Settings(DEFAULT_LIMIT, 1, 0);
  }

  /** Copy with a throughput headroom, as a share of the rates. */
  public Settings withHeadroom(double share) {
    return new Settings(timeLimit, seed, share);
  }
}
