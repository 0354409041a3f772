package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import java.time.Duration;
import java.util.Arrays;
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
  private static final double MAX_SLOPE = 0.99;

  private final String name;
  private final int windowSamples;
  private final Duration horizon;
  private final ToDoubleFunction<double[]> estimate;

  private WindowEstimate(
      String name, int windowSamples, Duration horizon, ToDoubleFunction<double[]> estimate) {
    if (windowSamples < 1) {
      throw new IllegalArgumentException("windowSamples must be at least 1, is " + windowSamples);
    }
    this.name = name;
    this.windowSamples = windowSamples;
    this.horizon = horizon;
    this.estimate = estimate;
  }

  /** {@code persistence}: used memory stays constant; the baseline for point forecasts. */
  public static MemoryForecaster persistence(Duration horizon) {
    return new WindowEstimate("persistence", 1, horizon, window -> window[0]);
  }

  /**
   * {@code max}, {@code max-1.1}, …: the most used in the window, times a factor; the bound to
   * beat.
   *
   * @param factor at least 1, finite; 1 is named {@code max}
   * @param windowSamples how many of the newest samples count, at least 1
   * @param horizon validity of the forecast
   */
  public static MemoryForecaster maximum(double factor, int windowSamples, Duration horizon) {
    if (!(factor >= 1 && factor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("factor must be finite and at least 1, is " + factor);
    }
    return new WindowEstimate(
        factor == 1 ? "max" : "max-" + factor,
        windowSamples,
        horizon,
        window -> Arrays.stream(window).max().orElseThrow() * factor);
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
  public MemoryForecast forecast(ForecastRequest request) {
    MemorySeries window = request.series().newest(windowSamples);
    ForecastBuilder forecast = new ForecastBuilder(name, request, window, horizon);
    if (window.isEmpty()) {
      return forecast.abstained("no samples");
    }
    int count = window.samples().size();
    return forecast.applies(
        name + " of " + count + (count == 1 ? " sample" : " samples"),
        estimate.applyAsDouble(new SampledWindow(window).bytes()));
  }

  /**
   * AR(1)'s next sample as fitted, in bytes, of any size or sign: {@code ar1} is this clamped to 0
   * and capacity. Empty without samples.
   */
  public static OptionalDouble rawAutoregression(ForecastRequest request, int windowSamples) {
    MemorySeries window = request.series().newest(windowSamples);
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
            .map(f -> Math.clamp(f.slope(), 0, MAX_SLOPE))
            .orElse(MAX_SLOPE);
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
