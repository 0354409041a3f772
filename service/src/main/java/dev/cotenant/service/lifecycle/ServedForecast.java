package dev.cotenant.service.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.Forecasts;
import io.micrometer.core.instrument.MeterRegistry;
import org.jboss.logging.Logger;

/**
 * Serves the promoted forecast of used memory at every poll, and logs and counts what came of it: a
 * failure once until it changes.
 */
public final class ServedForecast {
  private static final Logger LOG = Logger.getLogger(ServedForecast.class);

  private final Forecasts forecasts;
  private final MeterRegistry meters;
  private String lastFailure = "";

  public ServedForecast(Forecasts forecasts, MeterRegistry meters) {
    this.forecasts = forecasts;
    this.meters = meters;
  }

  /** Looks at the store once. */
  public void refresh() {
    try {
      forecasts
          .refresh()
          .ifPresent(served -> {
            meters.counter("cotenant.predictor.swaps").increment();
            LOG.infof("Forecast %s is active", served.label());
          });
      lastFailure = "";
    } catch (InputException e) {
      failed(String.valueOf(e.getMessage()));
    }
  }

  private void failed(String message) {
    meters.counter("cotenant.predictor.unusable").increment();
    if (!message.equals(lastFailure)) {
      LOG.errorf(
          "The promoted forecast cannot be loaded, %s stays active: %s",
          forecasts.served().label(), message);
    }
    lastFailure = message;
  }
}
