package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns the number an estimator computed into an answer that keeps to {@link MemoryForecaster}.
 *
 * @param seen the samples the estimator used
 */
record ForecastBuilder(
    String estimator, ForecastRequest request, MemorySeries seen, Duration horizon) {

  /** The estimator abstains. */
  MemoryForecast abstained(String reason) {
    return answer(new MemoryForecast.Abstained(reason));
  }

  /** One figure for next sample and peak, without a bound: all that the baselines state. */
  MemoryForecast applies(String reason, MemorySize used) {
    return used.isAtMost(request.capacity())
        ? single(reason, used)
        : single(
            reason + "; " + used.bytes() + " B is above capacity and counts as " + capacity(),
            request.capacity());
  }

  /** As above for a computed number of bytes, rounded to the nearest whole one. */
  MemoryForecast applies(String reason, double usedBytes) {
    if (usedBytes < 0) {
      return single(reason + raw(usedBytes) + " is below 0 and counts as 0 B", MemorySize.ZERO);
    }
    if (usedBytes > request.capacity().bytes()) {
      return single(
          reason + raw(usedBytes) + " is above capacity and counts as " + capacity(),
          request.capacity());
    }
    return single(reason, MemorySize.ofBytes(Math.round(usedBytes)));
  }

  /**
   * What a bounding estimator computed, in bytes.
   *
   * @param next used memory at the next sample
   * @param peak the most over the horizon
   * @param upper bound on that
   * @param assumed whether that is a share of capacity, for want of samples
   */
  record Figures(double next, double peak, double upper, boolean assumed) {}

  /** Three figures and what the bound is meant to hold; all are clipped to 0 and capacity. */
  MemoryForecast bounded(String reason, Figures figures, Coverage coverage) {
    MemorySize upper = clipped(figures.upper);
    return answer(
        new MemoryForecast.Applies(
            figures.upper > request.capacity().bytes() ? reason + ", at most capacity" : reason,
            clipped(figures.next).min(upper),
            clipped(Math.max(figures.next, figures.peak)).min(upper),
            upper,
            coverage,
            figures.assumed));
  }

  private MemorySize clipped(double bytes) {
    return MemorySize.ofBytes(
        Math.round(Math.clamp(bytes, 0, (double) request.capacity().bytes())));
  }

  private static String raw(double bytes) {
    return String.format(Locale.ROOT, "; the raw %.0f B", bytes);
  }

  private String capacity() {
    return request.capacity().toString();
  }

  private MemoryForecast single(String reason, MemorySize used) {
    return answer(new MemoryForecast.Applies(reason, used, used, used, null));
  }

  private MemoryForecast answer(MemoryForecast.Result result) {
    return new MemoryForecast(estimator, result, horizon, seen.samples().size(), age());
  }

  private @Nullable Duration age() {
    Optional<MemorySample> newest = seen.last();
    if (newest.isEmpty()) {
      return null;
    }
    Duration age = Duration.between(newest.get().at(), request.now());
    return age.isNegative() ? Duration.ZERO : age;
  }
}
