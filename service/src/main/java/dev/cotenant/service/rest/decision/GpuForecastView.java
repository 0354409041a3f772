package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.engine.view.ForecastView;
import dev.cotenant.service.cluster.LiveCluster;
import java.util.List;

/** Every estimator's forecast of one GPU's used memory. */
public record GpuForecastView(
    @JsonProperty("uuid") String uuid,
    @JsonProperty("capacity_bytes") long capacityBytes,
    @JsonProperty("forecasts") List<ForecastView> forecasts) {
  public GpuForecastView {
    forecasts = List.copyOf(forecasts);
  }

  static GpuForecastView of(LiveCluster cluster, GpuSnapshot gpu) {
    return new GpuForecastView(
        gpu.uuid(),
        gpu.capacity().bytes(),
        cluster.forecast(gpu).stream().map(f -> ForecastView.of(f, gpu.capacity())).toList());
  }
}
