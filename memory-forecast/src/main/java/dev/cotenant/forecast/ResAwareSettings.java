package dev.cotenant.forecast;

import java.time.Duration;

/**
 * What the ResAware paper leaves open.
 *
 * @param variationThreshold CBP answers where the coefficient of variation is below it; finite, at
 *     least 0
 * @param autocorrelationThreshold PP answers where the autocorrelation is above it; in [−1, 1]
 * @param autocorrelationOrder k, the lag of that autocorrelation in samples; at least 1
 * @param windowSamples how many of the newest samples are looked at; at least k + 2
 * @param horizon what the answers are held against, positive. It labels them and changes no figure:
 *     the published estimates know no horizon but PP's one sampling step
 */
public record ResAwareSettings(
    double variationThreshold,
    double autocorrelationThreshold,
    int autocorrelationOrder,
    int windowSamples,
    Duration horizon) {

  /** Ours, for neither paper prints it: P80 then lies at most 17 % (0.84 σ) above a normal mean. */
  private static final double DEFAULT_VARIATION_THRESHOLD = 0.2;

  /**
   * Kube-Knots, Peak Prediction: zero or negative autocorrelation is too weak, above 0 forecasts.
   */
  private static final double DEFAULT_AUTOCORRELATION_THRESHOLD = 0;

  /** The lag of the AR(1) that it licenses; the papers leave k open. */
  private static final int DEFAULT_ORDER = 1;

  /**
   * Ours. Kube-Knots queries 5 s, adjustable "for prediction accuracy", which is 5 samples at
   * ResAware's interval of 1 s; on the Alibaba GenAI trace AR(1) errs over 5 samples several times
   * as much as repeating the last value, over 60 about 10 % more.
   */
  private static final int DEFAULT_WINDOW_SAMPLES = 60;

  /** Kube-Knots forecasts "the next one second", one step of ResAware's series (its section 4). */
  private static final Duration DEFAULT_HORIZON = Duration.ofSeconds(1);

  /** The papers' values where they print one, else ours; each constant above names its source. */
  public static final ResAwareSettings DEFAULT =
      new ResAwareSettings(
          DEFAULT_VARIATION_THRESHOLD,
          DEFAULT_AUTOCORRELATION_THRESHOLD,
          DEFAULT_ORDER,
          DEFAULT_WINDOW_SAMPLES,
          DEFAULT_HORIZON);

  public ResAwareSettings {
    if (!(variationThreshold >= 0 && variationThreshold < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "variationThreshold must be finite and at least 0, is " + variationThreshold);
    }
    if (!(autocorrelationThreshold >= -1 && autocorrelationThreshold <= 1)) {
      throw new IllegalArgumentException(
          "autocorrelationThreshold must be in [-1, 1], is " + autocorrelationThreshold);
    }
    if (autocorrelationOrder < 1) {
      throw new IllegalArgumentException(
          "autocorrelationOrder must be at least 1, is " + autocorrelationOrder);
    }
    if (windowSamples < autocorrelationOrder + 2L) {
      throw new IllegalArgumentException(
          "windowSamples must be at least autocorrelationOrder + 2, is " + windowSamples);
    }
    if (!horizon.isPositive()) {
      throw new IllegalArgumentException("horizon must be positive, is " + horizon);
    }
  }

  /** The same over another window. */
  public ResAwareSettings withWindow(int samples) {
    return new ResAwareSettings(
        variationThreshold, autocorrelationThreshold, autocorrelationOrder, samples, horizon);
  }
}
