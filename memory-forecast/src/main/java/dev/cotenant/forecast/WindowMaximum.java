package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;

/**
 * Baseline {@code max}, {@code max-1.1}, …: the most used in the window, times a factor.
 *
 * <p>Abstains without samples; states no bound, though it is meant as one. The bound to beat.
 */
public final class WindowMaximum implements MemoryForecaster {
  private final double factor;
  private final int windowSamples;
  private final Duration horizon;

  /**
   * @param factor at least 1, finite; 1 is named {@code max}
   * @param windowSamples how many of the newest samples are looked at, at least 1
   * @param horizon what the answers are held against
   */
  public WindowMaximum(double factor, int windowSamples, Duration horizon) {
    if (!(factor >= 1 && factor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("factor must be finite and at least 1, is " + factor);
    }
    if (windowSamples < 1) {
      throw new IllegalArgumentException("windowSamples must be at least 1, is " + windowSamples);
    }
    this.factor = factor;
    this.windowSamples = windowSamples;
    this.horizon = horizon;
  }

  @Override
  public String name() {
    return factor == 1 ? "max" : "max-" + factor;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest question) {
    MemorySeries window = question.series().newest(windowSamples);
    ForecastBuilder answer = new ForecastBuilder(name(), question, window, horizon);
    Optional<MemorySize> maximum =
        window.samples().stream().map(MemorySample::used).max(Comparator.naturalOrder());
    return maximum
        .map(most -> answer.applies("window maximum " + most + " x " + factor, scaled(most)))
        .orElseGet(() -> answer.abstained("no samples"));
  }

  private double scaled(MemorySize most) {
    return most.bytes() * factor;
  }
}
