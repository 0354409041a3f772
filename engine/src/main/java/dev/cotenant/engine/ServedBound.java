package dev.cotenant.engine;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.MemoryForecaster;
import dev.cotenant.forecast.PeakBound;
import dev.cotenant.forecast.trees.PeakModel;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Duration;

/** The bound on the peak with the model that serves: the shipped one at first. Thread safe. */
final class ServedBound implements MemoryForecaster {
  private final Duration horizon;
  private volatile PeakBound bound;

  ServedBound(Duration horizon) {
    this.horizon = horizon;
    bound = new PeakBound(PeakModelFile.shipped(), horizon);
  }

  void serve(PeakModel other) {
    bound = new PeakBound(other, horizon);
  }

  @Override
  public String name() {
    return bound.name();
  }

  @Override
  public MemoryForecast forecast(ForecastRequest request) {
    return bound.forecast(request);
  }
}
