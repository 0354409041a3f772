package dev.cotenant.evaluation.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.MemoryForecaster;
import dev.cotenant.forecast.PeakBound;
import dev.cotenant.forecast.PublishedChain;
import dev.cotenant.forecast.ResAwareSettings;
import dev.cotenant.forecast.WindowEstimate;
import dev.cotenant.forecast.trees.PeakModel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Scored estimators, in the order of the table. */
final class Estimators {
  private static final int[] WINDOWS = {5, 30, 60};
  private static final int SHORT_MEMORY = 60;
  private static final double[] MARGINS = {1, 1.1, 1.2};

  private final Map<String, Estimator> named = new LinkedHashMap<>();

  private Estimators() {}

  /** Forecasts for a request, or abstains. */
  interface Estimator {
    Optional<WindowScores.Answer> answer(ForecastRequest request);
  }

  static Map<String, Estimator> of(PeakModel model, Duration horizon) {
    Estimators estimators = new Estimators();
    estimators.add(ForecastFigures.REFERENCE, WindowEstimate.persistence(horizon));
    estimators.add("peak-bound", new PeakBound(model, horizon));
    estimators.add("peak-bound/W=60", new PeakBound(model, horizon, SHORT_MEMORY));
    for (int window : WINDOWS) {
      estimators.addBaselines(window, horizon);
    }
    return estimators.named;
  }

  private void addBaselines(int window, Duration horizon) {
    String suffix = "/W=" + window;
    named.put("ar1-raw" + suffix, raw(window));
    for (MemoryForecaster baseline : WindowEstimate.all(window, horizon)) {
      add(baseline.name() + suffix, baseline);
    }
    for (double margin : MARGINS) {
      MemoryForecaster maximum = WindowEstimate.maximum(margin, window, horizon);
      add(maximum.name() + suffix, maximum);
    }
    PublishedChain chain = new PublishedChain(ResAwareSettings.DEFAULT.withWindow(window));
    add(chain.name() + suffix, chain);
  }

  private void add(String name, MemoryForecaster forecaster) {
    named.put(name, request -> scored(forecaster.forecast(request)));
  }

  private static Optional<WindowScores.Answer> scored(MemoryForecast forecast) {
    return switch (forecast.result()) {
      case MemoryForecast.Applies applies ->
          Optional.of(new WindowScores.Answer(applies.next().bytes(), applies.peakUpper().bytes()));
      case MemoryForecast.Abstained _ -> Optional.empty();
    };
  }

  /** What the formula says: no forecaster may state a size below 0 or above capacity. */
  private static Estimator raw(int window) {
    return request ->
        WindowEstimate.rawAutoregression(request, window).stream()
            .mapToObj(bytes -> new WindowScores.Answer(bytes, bytes))
            .findFirst();
  }
}
