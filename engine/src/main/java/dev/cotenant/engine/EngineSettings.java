package dev.cotenant.engine;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.forecast.ResAwareSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the engine's operations.
 *
 * @param devices the known GPUs
 * @param readerLimits how large a graph may be
 * @param forecasting which forecast decides, and how
 * @param maxMetricAge age beyond which a used-memory sample is stale
 */
public record EngineSettings(
    DeviceCatalogue devices,
    ReaderLimits readerLimits,
    Forecasting forecasting,
    Duration maxMetricAge) {
  /** A used-memory sample is stale after two minutes: four scrapes of a 30 s collector. */
  public static final Duration DEFAULT_MAX_METRIC_AGE = Duration.ofMinutes(2);

  /** The built-in catalogue and every part's defaults. */
  public static final EngineSettings DEFAULT =
      new EngineSettings(
          DeviceCatalogue.builtIn(),
          ReaderLimits.DEFAULT,
          Forecasting.DEFAULT,
          DEFAULT_MAX_METRIC_AGE);

  public EngineSettings {
    if (!maxMetricAge.isPositive()) {
      throw new IllegalArgumentException("maxMetricAge must be positive, is " + maxMetricAge);
    }
  }

  /** The same with other devices. */
  public EngineSettings withDevices(DeviceCatalogue other) {
    return new EngineSettings(other, readerLimits, forecasting, maxMetricAge);
  }

  /** Copy with a different maximum age of samples. */
  public EngineSettings withMaxMetricAge(Duration other) {
    return new EngineSettings(devices, readerLimits, forecasting, other);
  }

  /** The same with another forecast. */
  public EngineSettings withForecasting(Forecasting other) {
    return new EngineSettings(devices, readerLimits, other, maxMetricAge);
  }

  /**
   * Which forecast decides, and how.
   *
   * @param policy which one decisions use
   * @param chain thresholds and window of the published chain; the window is also what young
   *     tenants have to outlive
   * @param decisionHorizon how far ahead the peak is bounded
   * @param expectedStay of workloads of which neither their pods nor past runs say how long they
   *     stay; null where nothing is known
   */
  public record Forecasting(
      ForecastPolicy policy,
      ResAwareSettings chain,
      Duration decisionHorizon,
      @Nullable Duration expectedStay) {
    /** Ten minutes: what a queue and a gate take to bring the next pod. */
    public static final Forecasting DEFAULT =
        new Forecasting(
            ForecastPolicy.PEAK_BOUND, ResAwareSettings.DEFAULT, Duration.ofMinutes(10));

    /** With stays that are not known. */
    public Forecasting(ForecastPolicy policy, ResAwareSettings chain, Duration decisionHorizon) {
      this(policy, chain, decisionHorizon, null);
    }

    public Forecasting {
      if (!decisionHorizon.isPositive()) {
        throw new IllegalArgumentException(
            "decisionHorizon must be positive, is " + decisionHorizon);
      }
    }
  }
}
