package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.Optional;

/**
 * The three mechanisms of the ResAware scheduler in turn: {@code agnostic}, {@code cbp}, {@code
 * pp}.
 *
 * <p>The stages deviate from the paper as documented there. Because a raw forecast outside 0 to
 * capacity is clamped, a requested larger than the device never fits (a negative ŷ would admit it
 * as published) and an empty requested fits a device forecast to be over-full.
 */
public final class ResAwareChain {
  /*
   * For the chosen requested:
   *   agnostic: requested < capacity − Σ granted (strictly)   → schedule
   *   CBP:      CV < threshold,  requested ≤ capacity − P80    → schedule
   *   PP:       r_k > threshold, requested ≤ capacity − ŷ      → schedule
   *   otherwise back into the queue.
   * The next stage decides both when one has no estimate and when too little is free. Which
   * requested is chosen (largest first) is the queue's matter, not the chain's.
   * [ResAware, section 5 and Figure 4]
   */
  private final ResourceAgnostic agnostic;
  private final List<MemoryForecaster> stages;

  public ResAwareChain(ResAwareSettings settings) {
    agnostic = new ResourceAgnostic(settings);
    stages =
        List.of(agnostic, new CorrelationBasedPrediction(settings), new PeakPrediction(settings));
  }

  /** Stages in order. */
  public List<MemoryForecaster> stages() {
    return stages;
  }

  /**
   * The paper's algorithm for one request: the name of the first stage that lets it in, or empty
   * where it goes back into the queue.
   */
  public Optional<String> admittingStage(ForecastRequest request, MemorySize requested) {
    return stages.stream()
        .filter(stage -> admits(stage, request, requested))
        .map(MemoryForecaster::name)
        .findFirst();
  }

  private boolean admits(MemoryForecaster stage, ForecastRequest request, MemorySize requested) {
    if (!(stage.forecast(request).result() instanceof MemoryForecast.Applies applies)) {
      return false;
    }
    MemorySize free = request.capacity().minusOrZero(applies.peak());
    return stage == agnostic ? requested.compareTo(free) < 0 : requested.isAtMost(free);
  }
}
