package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Stage three of ResAware, {@code pp}: where used memory follows its own past, an AR(1) forecast.
 *
 * <p>The forecast is for the next sample only, whatever the horizon; it serves as peak too, since
 * the paper frees capacity − ŷ. It abstains with fewer than k + 2 samples, with a constant series
 * (autocorrelation undefined), with an autocorrelation at or below the threshold, and where no line
 * is determined (all predecessors equal, or no two samples without a gap between).
 *
 * <p>Deviations from the paper: ŷ is computed unclamped as published, but a value below 0 comes
 * back as 0 and one above capacity as capacity, with the raw value in the reason; ŷ is rounded to
 * the nearest byte; and pairs across a gap (a step above 1.5 × the median step) are dropped from
 * the autocorrelation and from the fit, for the paper's series has none.
 *
 * <p>As published it is dangerous: φ is unbounded, so a short window extrapolates wildly, and a
 * series scraped more often than it is collected repeats its values, which inflates r_k.
 */
public final class PeakPrediction implements MemoryForecaster {
  /*
   * r_k over the newest windowSamples samples (see SampleStatistics); r_k > threshold:
   * ŷ_{t+1} = c + φ·y_t (see FirstOrderAutoregression), y_t the newest sample. Linear in the
   * window. It assumes even steps and a stationary series. [ResAware, section 5, Peak Prediction;
   * Kube-Knots, Peak Prediction, for both formulas]
   */
  static final String NAME = "pp";
  private final ResAwareSettings settings;

  public PeakPrediction(ResAwareSettings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest request) {
    MemorySeries series = request.series().newest(settings.windowSamples());
    ForecastBuilder answer = new ForecastBuilder(NAME, request, series, settings.horizon());
    int order = settings.autocorrelationOrder();
    int samples = series.samples().size();
    if (samples < order + 2) {
      return answer.abstained(
          "needs at least " + (order + 2) + " samples for order " + order + ", has " + samples);
    }
    SampledWindow window = new SampledWindow(series);
    OptionalDouble autocorrelation = SampleStatistics.autocorrelation(window.runs(), order);
    return autocorrelation.isEmpty()
        ? answer.abstained(
            "all " + samples + " samples are equal: the autocorrelation is undefined")
        : judge(answer, window, autocorrelation.getAsDouble());
  }

  private MemoryForecast judge(
      ForecastBuilder answer, SampledWindow window, double autocorrelation) {
    String measured =
        String.format(
            Locale.ROOT,
            "autocorrelation of order %d %.4f",
            settings.autocorrelationOrder(),
            autocorrelation);
    String threshold = String.format(Locale.ROOT, "%.4f", settings.autocorrelationThreshold());
    if (!(autocorrelation > settings.autocorrelationThreshold())) {
      return answer.abstained(measured + " is not above " + threshold);
    }
    Optional<FirstOrderAutoregression> fit = FirstOrderAutoregression.fit(window.runs());
    return fit.isEmpty()
        ? answer.abstained(measured + ", but no two samples without a gap determine a line")
        : answer.applies(
            describe(fit.get(), window) + ": " + measured + " is above " + threshold,
            fit.get().next(window.newest()));
  }

  private static String describe(FirstOrderAutoregression fit, SampledWindow window) {
    return String.format(
        Locale.ROOT,
        "AR(1) one step of %.3g s ahead, c = %.0f B, slope %.4f",
        window.medianStepSeconds(),
        fit.intercept(),
        fit.slope());
  }
}
