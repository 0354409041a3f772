package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemoryForecast.Abstained;
import dev.cotenant.domain.forecast.MemoryForecast.Applies;
import java.util.List;

/**
 * Baseline {@code resaware}: the used memory that the published chain uses where grants alone leave
 * no room, which is CBP's answer, else PP's, else none.
 */
public final class PublishedChain implements MemoryForecaster {
  private static final String NAME = "resaware";
  private final ResAwareSettings settings;
  private final List<MemoryForecaster> stages;

  public PublishedChain(ResAwareSettings settings) {
    this.settings = settings;
    stages = List.of(new CorrelationBasedPrediction(settings), new PeakPrediction(settings));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest request) {
    StringBuilder reasons = new StringBuilder();
    for (MemoryForecaster stage : stages) {
      MemoryForecast answer = stage.forecast(request);
      reasons.append(reasons.isEmpty() ? "" : "; ").append(stage.name()).append(": ");
      switch (answer.result()) {
        case Applies(var reason, var next, var peak, var upper, var coverage, var assumed) -> {
          String why = reasons + reason;
          return named(answer, new Applies(why, next, peak, upper, coverage, assumed));
        }
        case Abstained(String reason) -> reasons.append(reason);
      }
    }
    return new ForecastBuilder(
            NAME, request, request.series().newest(settings.windowSamples()), settings.horizon())
        .abstained(reasons.toString());
  }

  private static MemoryForecast named(MemoryForecast answer, MemoryForecast.Result result) {
    return new MemoryForecast(NAME, result, answer.horizon(), answer.samples(), answer.age());
  }
}
