package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;

/**
 * Baseline {@code persistence}: used memory stays what it is.
 *
 * <p>Abstains without samples; states no bound. The point forecast to beat.
 */
public final class Persistence implements MemoryForecaster {
  private static final String NAME = "persistence";
  private final Duration horizon;

  public Persistence(Duration horizon) {
    this.horizon = horizon;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest question) {
    MemorySeries newest = question.series().newest(1);
    ForecastBuilder answer = new ForecastBuilder(NAME, question, newest, horizon);
    if (newest.isEmpty()) {
      return answer.abstained("no samples");
    }
    MemorySize used = newest.samples().getLast().used();
    return answer.applies("newest sample " + used, used);
  }
}
