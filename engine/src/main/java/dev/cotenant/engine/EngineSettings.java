package dev.cotenant.engine;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.forecast.ResAwareSettings;
import java.time.Duration;

/**
 * What the engine's operations can be told.
 *
 * @param devices the known GPUs
 * @param readerLimits how large a graph may be
 * @param forecasting thresholds and window of the forecast chain
 * @param maxMetricAge age beyond which a used-memory sample is stale
 */
public record EngineSettings(
    DeviceCatalogue devices,
    ReaderLimits readerLimits,
    ResAwareSettings forecasting,
    Duration maxMetricAge) {
  /** A used-memory sample is stale after two minutes: four scrapes of a 30 s collector. */
  public static final Duration DEFAULT_MAX_METRIC_AGE = Duration.ofMinutes(2);

  /** The built-in catalogue and every part's defaults. */
  public static final EngineSettings DEFAULT =
      new EngineSettings(
          DeviceCatalogue.builtIn(),
          ReaderLimits.DEFAULT,
          ResAwareSettings.DEFAULT,
          DEFAULT_MAX_METRIC_AGE);

  public EngineSettings {
    if (!maxMetricAge.isPositive()) {
      throw new IllegalArgumentException("maxMetricAge must be positive, is " + maxMetricAge);
    }
  }

  /** The same with another age beyond which samples are stale. */
  public EngineSettings withMaxMetricAge(Duration other) {
    return new EngineSettings(devices, readerLimits, forecasting, other);
  }
}
