package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One estimator's answer; figures are null where it abstains. */
public record ForecastView(
    @JsonProperty("estimator") String estimator,
    @JsonProperty("applies") boolean applies,
    @JsonProperty("reason") String reason,
    @JsonProperty("next_bytes") @Nullable Long nextBytes,
    @JsonProperty("peak_bytes") @Nullable Long peakBytes,
    @JsonProperty("peak_upper_bytes") @Nullable Long peakUpperBytes,
    @JsonProperty("coverage") @Nullable Double coverage,
    @JsonProperty("horizon_seconds") long horizonSeconds,
    @JsonProperty("free_bytes") @Nullable Long freeBytes,
    @JsonProperty("samples") int samples,
    @JsonProperty("age_seconds") @Nullable Long ageSeconds) {

  /** Free memory is {@code capacity} less the estimate. */
  public static ForecastView of(MemoryForecast forecast, MemorySize capacity) {
    Duration age = forecast.age();
    Long ageSeconds = age == null ? null : age.toSeconds();
    return switch (forecast.result()) {
      case MemoryForecast.Applies applies ->
          new ForecastView(
              forecast.estimator(),
              true,
              applies.reason(),
              applies.next().bytes(),
              applies.peak().bytes(),
              applies.peakUpper().bytes(),
              applies.coverage() == null ? null : applies.coverage().fraction(),
              forecast.horizon().toSeconds(),
              capacity.minusOrZero(applies.peakUpper()).bytes(),
              forecast.samples(),
              ageSeconds);
      case MemoryForecast.Abstained(String reason) ->
          new ForecastView(
              forecast.estimator(),
              false,
              reason,
              null,
              null,
              null,
              null,
              forecast.horizon().toSeconds(),
              null,
              forecast.samples(),
              ageSeconds);
    };
  }
}
