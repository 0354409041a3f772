package dev.cotenant.service.rest.replay;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import dev.cotenant.service.replay.ClusterReplays;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which history is replayed.
 *
 * @param hours its length, 1 to 744; absent is a week
 * @param stepSeconds between two samples, at least the interval of scrapes; absent is 60; the
 *     history has at most 89,280 steps
 * @param price of a GPU hour; absent or 0: no money
 */
record ReplayDocument(
    @JsonProperty("hours") @Nullable Integer hours,
    @JsonProperty("step_seconds") @Nullable Integer stepSeconds,
    @JsonProperty("price_per_gpu_hour") @Nullable Double price) {
  private static final int MOST_HOURS = 31 * 24;
  private static final int WEEK = 7 * 24;
  private static final int MINUTE = 60;
  private static final int MOST_SECONDS = 3_600;

  /** 31 days of half a minute; each 360 steps are nine queries of the metrics server. */
  private static final long MOST_STEPS = 31 * 24 * 120;

  private static final double MOST_MONEY = 1e9;

  ReplayDocument {
    require(hours == null || (hours >= 1 && hours <= MOST_HOURS), "hours", "1 to 744", hours);
    require(
        stepSeconds == null || (stepSeconds >= 1 && stepSeconds <= MOST_SECONDS),
        "step_seconds",
        "1 to 3600",
        stepSeconds);
    require(
        price == null || (price >= 0 && price < MOST_MONEY),
        "price_per_gpu_hour",
        "0 or more",
        price);
    long steps =
        3_600L * (hours == null ? WEEK : hours) / (stepSeconds == null ? MINUTE : stepSeconds);
    require(
        steps <= MOST_STEPS,
        "step_seconds",
        "such that 'hours' has at most " + MOST_STEPS + " steps",
        stepSeconds);
  }

  private static void require(boolean holds, String key, String range, @Nullable Number value) {
    if (!holds) {
      throw InputException.invalidArgument(
          "bad-replay", "'" + key + "' must be " + range + ", is " + value + ".");
    }
  }

  ClusterReplays.Request request() {
    return new ClusterReplays.Request(
        Duration.ofHours(hours == null ? WEEK : hours),
        Duration.ofSeconds(stepSeconds == null ? MINUTE : stepSeconds),
        price == null ? 0 : price);
  }
}
