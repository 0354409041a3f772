package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Stage two of ResAware, {@code cbp}: where used memory varies little, its 80th percentile.
 *
 * <p>It abstains with fewer than two samples (one says nothing of variation), with a mean of 0 (the
 * coefficient of variation is undefined; nothing in use may mean that the tenants are still
 * starting), and with a coefficient of variation at or above the threshold. A constant series has
 * coefficient 0 and is answered, unless the threshold is 0. Gaps do not matter to it.
 *
 * <p>It states no bound: one sample in five lies above the estimate by construction, and a tenant
 * younger than the window is hardly in it, which is why the paper reports container restarts.
 */
public final class CorrelationBasedPrediction implements MemoryForecaster {
  /*
   * CV = σ/μ over the newest windowSamples samples, σ the population standard deviation;
   * CV < threshold: used = P80 of the same samples, by linear interpolation as Prometheus'
   * quantile_over_time. n log n in the window. [ResAware, section 5, Correlation Based Prediction]
   * The paper prints neither the threshold nor the kinds of σ and percentile.
   */
  static final String NAME = "cbp";
  private static final double PERCENTILE = 0.8;
  private static final int MIN_SAMPLES = 2;
  private final ResAwareSettings settings;

  public CorrelationBasedPrediction(ResAwareSettings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest request) {
    MemorySeries window = request.series().newest(settings.windowSamples());
    ForecastBuilder answer = new ForecastBuilder(NAME, request, window, settings.horizon());
    int samples = window.samples().size();
    if (samples < MIN_SAMPLES) {
      return answer.abstained("needs at least 2 samples, has " + samples);
    }
    double[] bytes = new SampledWindow(window).bytes();
    OptionalDouble variation = SampleStatistics.coefficientOfVariation(bytes);
    if (variation.isEmpty()) {
      return answer.abstained(
          "all " + samples + " samples are 0: the coefficient of variation is undefined");
    }
    return judge(answer, bytes, variation.getAsDouble());
  }

  private MemoryForecast judge(ForecastBuilder answer, double[] bytes, double variation) {
    double threshold = settings.variationThreshold();
    if (!(variation < threshold)) {
      return answer.abstained(
          String.format(
              Locale.ROOT,
              "coefficient of variation %.4f is not below %.4f",
              variation,
              threshold));
    }
    return answer.applies(
        String.format(
            Locale.ROOT,
            "80th percentile: coefficient of variation %.4f is below %.4f",
            variation,
            threshold),
        SampleStatistics.percentile(bytes, PERCENTILE));
  }
}
