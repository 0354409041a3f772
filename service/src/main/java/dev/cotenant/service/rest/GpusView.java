package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.view.GpuView;
import dev.cotenant.service.cluster.LiveCluster;
import java.util.List;

/**
 * The cluster: GPUs with tenants, grants of this service included.
 *
 * @param source where it comes from: always a recording, never a live cluster
 * @param recordedAt when it was recorded; ages are counted from then
 * @param description what was recorded
 * @param utilizationLimitPercent limit of the summed utilization of each GPU
 * @param memoryHeadroomPercent share of each GPU's usable memory that stays free
 * @param tenantLimit most workloads on one GPU
 * @param gpus in the order of the recording
 */
public record GpusView(
    @JsonProperty("source") String source,
    @JsonProperty("recorded_at") String recordedAt,
    @JsonProperty("description") String description,
    @JsonProperty("utilization_limit_percent") double utilizationLimitPercent,
    @JsonProperty("memory_headroom_percent") double memoryHeadroomPercent,
    @JsonProperty("tenant_limit") int tenantLimit,
    @JsonProperty("gpus") List<GpuView> gpus) {
  public GpusView {
    gpus = List.copyOf(gpus);
  }

  static GpusView of(LiveCluster cluster, SharingLimits limits) {
    return new GpusView(
        "recorded",
        cluster.recorded().recordedAt().toString(),
        cluster.recorded().description(),
        limits.summedUtilization().percent(),
        Math.round(limits.memoryHeadroomFraction() * 100_000) / 1_000.0,
        limits.tenants(),
        cluster.withGrants().gpus().stream().map(GpuView::of).toList());
  }
}
