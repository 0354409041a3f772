package dev.cotenant.service.rest.replay;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
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
 * @param limits limits to compare with those in force; absent for no comparison
 */
record ReplayDocument(
    @JsonProperty("hours") @Nullable Integer hours,
    @JsonProperty("step_seconds") @Nullable Integer stepSeconds,
    @JsonProperty("price_per_gpu_hour") @Nullable Double price,
    @JsonProperty("limits") @Nullable LimitsDocument limits) {
  private static final int MAX_HOURS = 31 * 24;
  private static final int WEEK = 7 * 24;
  private static final int MINUTE = 60;
  private static final int MAX_SECONDS = 3_600;

  /** 31 days of half a minute; each 360 steps are nine queries of the metrics server. */
  private static final long MAX_STEPS = 31 * 24 * 120;

  private static final double MAX_MONEY = 1e9;

  ReplayDocument {
    require(hours == null || (hours >= 1 && hours <= MAX_HOURS), "hours", "1 to 744", hours);
    require(
        stepSeconds == null || (stepSeconds >= 1 && stepSeconds <= MAX_SECONDS),
        "step_seconds",
        "1 to 3600",
        stepSeconds);
    require(
        price == null || (price >= 0 && price < MAX_MONEY),
        "price_per_gpu_hour",
        "0 or more",
        price);
    long steps =
        3_600L * (hours == null ? WEEK : hours) / (stepSeconds == null ? MINUTE : stepSeconds);
    require(
        steps <= MAX_STEPS,
        "step_seconds",
        "such that 'hours' has at most " + MAX_STEPS + " steps",
        stepSeconds);
  }

  /**
   * Changed limits; absent ones keep their values. Names and ranges are those of {@code
   * cotenant.policy.limits}.
   */
  record LimitsDocument(
      @JsonProperty("utilization_percent") @Nullable Double utilizationPercent,
      @JsonProperty("memory_headroom_percent") @Nullable Double memoryHeadroomPercent,
      @JsonProperty("tenants") @Nullable Integer tenants,
      @JsonProperty("slowdown") @Nullable Double slowdown) {
    LimitsDocument {
      within("utilization_percent", 0, 1_000, utilizationPercent);
      within("memory_headroom_percent", 0, 99, memoryHeadroomPercent);
      within("tenants", 1, 48, tenants);
      within("slowdown", 1, 100, slowdown);
    }

    private static void within(String key, int least, int most, @Nullable Number value) {
      require(
          value == null || (value.doubleValue() >= least && value.doubleValue() <= most),
          "limits." + key,
          least + " to " + most,
          value);
    }

    SharingLimits changed(SharingLimits given) {
      SharingLimits limits = given;
      if (utilizationPercent != null) {
        limits = limits.withSummedUtilization(SummedUtilization.ofPercent(utilizationPercent));
      }
      if (memoryHeadroomPercent != null) {
        limits = limits.withMemoryHeadroom(memoryHeadroomPercent / 100);
      }
      if (tenants != null) {
        limits = limits.withTenants(tenants);
      }
      return slowdown == null ? limits : limits.withSlowdown(Slowdown.ofRatio(slowdown));
    }
  }

  private static void require(boolean holds, String key, String range, @Nullable Number value) {
    if (!holds) {
      throw InputException.invalidArgument(
          "bad-replay", "'" + key + "' must be " + range + ", is " + value + ".");
    }
  }

  /**
   * @param by who asks
   */
  ClusterReplays.Request request(String by) {
    return new ClusterReplays.Request(
        by,
        Duration.ofHours(hours == null ? WEEK : hours),
        Duration.ofSeconds(stepSeconds == null ? MINUTE : stepSeconds),
        price == null ? 0 : price,
        given -> limits == null ? given : limits.changed(given));
  }
}
