package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * A baseline that is one number of the newest samples, oldest first: a mean, a percentile, a
 * regression. It abstains without samples, ignores gaps and states no bound.
 */
public final class WindowEstimate implements MemoryForecaster {
  private static final double CBP_PERCENTILE = 0.8;

  /** Smoothing of level and trend, the middle of what textbooks recommend for noisy series. */
  private static final double HOLT_LEVEL = 0.5;

  private static final double HOLT_TREND = 0.1;
  private static final double LARGEST_SLOPE = 0.99;

  private final String name;
  private final int windowSamples;
  private final Duration horizon;
  private final ToDoubleFunction<double[]> estimate;

  private WindowEstimate(
      String name, int windowSamples, Duration horizon, ToDoubleFunction<double[]> estimate) {
    this.name = name;
    this.windowSamples = windowSamples;
    this.horizon = horizon;
    this.estimate = estimate;
  }

  /** Arithmetic mean, 80th percentile, AR(1) as fitted, AR(1) clamped, Holt's linear trend. */
  public static List<MemoryForecaster> all(int windowSamples, Duration horizon) {
    return List.of(
        new WindowEstimate("mean", windowSamples, horizon, SampleStatistics::mean),
        new WindowEstimate(
            "p80", windowSamples, horizon, w -> SampleStatistics.percentile(w, CBP_PERCENTILE)),
        new WindowEstimate("ar1", windowSamples, horizon, WindowEstimate::autoregression),
        new WindowEstimate("ar1-clamped", windowSamples, horizon, WindowEstimate::clamped),
        new WindowEstimate("holt", windowSamples, horizon, WindowEstimate::holt));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest question) {
    MemorySeries window = question.series().newest(windowSamples);
    ForecastBuilder answer = new ForecastBuilder(name, question, window, horizon);
    return window.isEmpty()
        ? answer.abstained("no samples")
        : answer.applies(
            name + " of " + window.samples().size() + " samples",
            estimate.applyAsDouble(new SampledWindow(window).bytes()));
  }

  /**
   * AR(1)'s next sample as fitted, in bytes, of any size or sign: {@code ar1} is this kept between
   * 0 and capacity, as a forecaster's sizes must be. Empty without samples.
   */
  public static OptionalDouble rawAutoregression(ForecastRequest question, int windowSamples) {
    MemorySeries window = question.series().newest(windowSamples);
    return window.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(autoregression(new SampledWindow(window).bytes()));
  }

  /** ŷ = c + φ·y by least squares; the newest value where no line is determined. */
  private static double autoregression(double[] window) {
    double newest = window[window.length - 1];
    return FirstOrderAutoregression.fit(List.of(window)).map(f -> f.next(newest)).orElse(newest);
  }

  /** The same with φ in [0, 0.99] around the mean: between that and the newest value. */
  private static double clamped(double[] window) {
    double newest = window[window.length - 1];
    double mean = SampleStatistics.mean(window);
    double slope =
        FirstOrderAutoregression.fit(List.of(window))
            .map(f -> Math.clamp(f.slope(), 0, LARGEST_SLOPE))
            .orElse(LARGEST_SLOPE);
    return mean + slope * (newest - mean);
  }

  /** Holt's double exponential smoothing, one step ahead. */
  private static double holt(double[] window) {
    double level = window[0];
    double trend = 0;
    for (int i = 1; i < window.length; i++) {
      double before = level;
      level = HOLT_LEVEL * window[i] + (1 - HOLT_LEVEL) * (level + trend);
      trend = HOLT_TREND * (level - before) + (1 - HOLT_TREND) * trend;
    }
    return level + trend;
  }
}
