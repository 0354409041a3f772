package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.view.GpuView;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.cluster.LiveCluster;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster: GPUs with tenants, all grants included.
 *
 * @param source where it comes from: a recording, or a Prometheus server
 * @param recordedAt when it was recorded or last read; null before the first reading. Ages are
 *     counted to the recording, or to now
 * @param description what was recorded, or which server is read
 * @param utilizationLimitPercent limit of the summed utilization of each GPU
 * @param memoryHeadroomPercent share of each GPU's usable memory that stays free
 * @param tenantLimit most workloads on one GPU
 * @param gpus in the order of the recording
 */
public record GpusView(
    @JsonProperty("source") String source,
    @JsonProperty("recorded_at") @Nullable String recordedAt,
    @JsonProperty("description") String description,
    @JsonProperty("utilization_limit_percent") double utilizationLimitPercent,
    @JsonProperty("memory_headroom_percent") double memoryHeadroomPercent,
    @JsonProperty("tenant_limit") int tenantLimit,
    @JsonProperty("gpus") List<GpuView> gpus) {
  public GpusView {
    gpus = List.copyOf(gpus);
  }

  static GpusView of(
      LiveCluster cluster,
      ClusterSnapshot withGrants,
      SharingLimits limits,
      Visibility visibility) {
    return new GpusView(
        cluster.readings().kind(),
        cluster.readings().readAt().map(Instant::toString).orElse(null),
        cluster.readings().description(),
        limits.summedUtilization().percent(),
        Math.round(limits.memoryHeadroomFraction() * 100_000) / 1_000.0,
        limits.tenants(),
        withGrants.gpus().stream().map(gpu -> Redaction.of(gpu, visibility)).toList());
  }
}
