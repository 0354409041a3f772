package dev.cotenant.service.rest.replay;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.service.replay.ReplayState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The newest replay.
 *
 * @param state {@code none}, {@code running}, {@code finished} or {@code failed}
 * @param message what it does, or why it failed; may be empty
 * @param recording the recording, how much of it was measured, and what is missing
 * @param policies a row for each policy, the baseline first
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ReplayView(
    @JsonProperty("state") String state,
    @JsonProperty("message") String message,
    @JsonProperty("started_at") @Nullable Instant startedAt,
    @JsonProperty("ended_at") @Nullable Instant endedAt,
    @JsonProperty("recording") @Nullable Map<String, Object> recording,
    @JsonProperty("policies") @Nullable List<Map<String, Object>> policies) {

  static ReplayView of(ReplayState state) {
    return switch (state) {
      case ReplayState.None() -> new ReplayView("none", "", null, null, null, null);
      case ReplayState.Running(Instant started, String step) ->
          new ReplayView("running", step, started, null, null, null);
      case ReplayState.Failed(Instant started, Instant ended, String message) ->
          new ReplayView("failed", message, started, ended, null, null);
      case ReplayState.Finished finished ->
          new ReplayView(
              "finished",
              "",
              finished.started(),
              finished.ended(),
              finished.report().summary(finished.price()),
              finished.report().rows(finished.price()));
    };
  }
}
