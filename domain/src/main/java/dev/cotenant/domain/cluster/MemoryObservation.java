package dev.cotenant.domain.cluster;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Observation of a GPU's used memory; missing and stale data are separate cases. */
public sealed interface MemoryObservation {
  /**
   * Fresh samples were there.
   *
   * @param lastUsed the newest sample
   * @param windowPeak the largest sample of the window
   * @param age age of the newest sample
   * @param window how far the series that was looked at reaches back
   * @param forecasts every estimator's forecast, in the order of their turns
   * @param grantsBeyond predicted peaks of tenants that are beside a newcomer for longer than this
   *     count, however little is forecast; null where they count until the series shows the tenants
   */
  record Measured(
      MemorySize lastUsed,
      MemorySize windowPeak,
      Duration age,
      Duration window,
      List<MemoryForecast> forecasts,
      @Nullable Duration grantsBeyond)
      implements MemoryObservation {
    public Measured {
      forecasts = List.copyOf(forecasts);
    }

    /** Of which forecasts may say less than grants. */
    public Measured(
        MemorySize lastUsed,
        MemorySize windowPeak,
        Duration age,
        Duration window,
        List<MemoryForecast> forecasts) {
      this(lastUsed, windowPeak, age, window, forecasts, null);
    }
  }

  /** The newest sample is older than the limit. */
  record Stale(Duration age, Duration limit) implements MemoryObservation {}

  /** No sample at all. */
  record Unmeasured() implements MemoryObservation {}
}
