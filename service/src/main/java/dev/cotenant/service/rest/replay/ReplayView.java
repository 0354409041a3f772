package dev.cotenant.service.rest.replay;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.service.replay.ReplayState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The newest replay.
 *
 * @param state {@code none}, {@code running}, {@code finished} or {@code failed}
 * @param message current step, or cause of the failure; may be empty
 * @param by who started it; absent of one that an earlier version stored
 * @param hours of history that were replayed
 * @param price of a GPU hour; 0 where none was stated
 * @param recording the recording, how much of it was measured, and what is missing
 * @param policies a row for each policy, the baseline first
 * @param limits under which they ran
 * @param changed results of the same jobs under changed limits; absent without a comparison
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ReplayView(
    @JsonProperty("state") String state,
    @JsonProperty("message") String message,
    @JsonProperty("started_at") @Nullable Instant startedAt,
    @JsonProperty("ended_at") @Nullable Instant endedAt,
    @JsonProperty("by") @Nullable String by,
    @JsonProperty("hours") @Nullable Long hours,
    @JsonProperty("price_per_gpu_hour") @Nullable Double price,
    @JsonProperty("recording") @Nullable Map<String, Object> recording,
    @JsonProperty("policies") @Nullable List<Map<String, Object>> policies,
    @JsonProperty("limits") @Nullable LimitsView limits,
    @JsonProperty("changed") @Nullable ChangedView changed) {

  /** Limits of sharing. */
  record LimitsView(
      @JsonProperty("utilization_percent") double utilizationPercent,
      @JsonProperty("memory_headroom_percent") double memoryHeadroomPercent,
      @JsonProperty("tenants") int tenants,
      @JsonProperty("slowdown") double slowdown) {
    static LimitsView of(SharingLimits limits) {
      return new LimitsView(
          limits.summedUtilization().percent(),
          Math.round(limits.memoryHeadroomFraction() * 1e5) / 1e3,
          limits.tenants(),
          limits.slowdown().ratio());
    }
  }

  /**
   * The product's policy under other limits.
   *
   * @param answer its savings and harm
   * @param policies the baseline and it
   */
  record ChangedView(
      @JsonProperty("limits") LimitsView limits,
      @JsonProperty("answer") String answer,
      @JsonProperty("policies") List<Map<String, Object>> policies) {
    static @Nullable ChangedView of(ReplayState.@Nullable Changed changed, double price) {
      return changed == null
          ? null
          : new ChangedView(
              LimitsView.of(changed.limits()),
              changed.report().answer(price),
              changed.report().rows(price));
    }
  }

  static ReplayView of(ReplayState state) {
    return switch (state) {
      case ReplayState.None() -> without("none", "", null, null, null);
      case ReplayState.Running(Instant started, String by, String step) ->
          without("running", step, started, null, by);
      case ReplayState.Failed(Instant started, Instant ended, String by, String message) ->
          without("failed", message, started, ended, by);
      case ReplayState.Finished finished ->
          new ReplayView(
              "finished",
              "",
              finished.started(),
              finished.ended(),
              finished.by(),
              finished.length().toHours(),
              finished.price(),
              finished.report().summary(finished.price()),
              finished.report().rows(finished.price()),
              LimitsView.of(finished.limits()),
              ChangedView.of(finished.changed(), finished.price()));
    };
  }

  private static ReplayView without(
      String state,
      String message,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      @Nullable String by) {
    return new ReplayView(
        state, message, startedAt, endedAt, by, null, null, null, null, null, null);
  }
}
