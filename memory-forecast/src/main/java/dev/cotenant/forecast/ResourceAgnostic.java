package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;

/**
 * Stage one of ResAware, {@code agnostic}: used memory is the sum of grants, regardless of
 * measurements.
 *
 * <p>It looks at no sample, so its answer has none and no age. It answers wherever grants are
 * known; grants beyond capacity count as capacity and the raw sum is in the reason.
 */
public final class ResourceAgnostic implements MemoryForecaster {
  /*
   * used = Σ granted requests; free = capacity − used (the paper's indicator variable, initialised
   * to the capacity and lowered by each grant). Linear in grants. It assumes that requests are
   * upper bounds of use; over-provisioned requests make it refuse room that is there.
   * [ResAware, section 5, Resource Agnostic GPU Sharing]
   */
  static final String NAME = "agnostic";
  private final Duration horizon;

  public ResourceAgnostic(ResAwareSettings settings) {
    horizon = settings.horizon();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest request) {
    List<MemorySize> granted = request.granted();
    ForecastBuilder answer = new ForecastBuilder(NAME, request, MemorySeries.EMPTY, horizon);
    if (granted == null) {
      return answer.abstained("what was granted is not known: a series does not show it");
    }
    int grants = granted.size();
    MemorySize total = ForecastRequest.total(granted);
    return answer.applies(grants + (grants == 1 ? " grant of " : " grants of ") + total, total);
  }
}
