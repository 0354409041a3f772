package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.view.GpuView;
import dev.cotenant.engine.view.GpuView.ReviewView;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.cluster.GrantAudit;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.rest.query.Page;
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
 * @param gpus in order of the source
 * @param next token of the next page; absent on the last
 */
public record GpusView(
    @JsonProperty("source") String source,
    @JsonProperty("recorded_at") @Nullable String recordedAt,
    @JsonProperty("description") String description,
    @JsonProperty("utilization_limit_percent") double utilizationLimitPercent,
    @JsonProperty("memory_headroom_percent") double memoryHeadroomPercent,
    @JsonProperty("tenant_limit") int tenantLimit,
    @JsonProperty("gpus") List<GpuView> gpus,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
  public GpusView {
    gpus = List.copyOf(gpus);
  }

  /** Readings, and reviews of active grants. */
  record Shown(LiveCluster cluster, GrantAudit reviews) {
    @Nullable ReviewView review(String gpu) {
      return reviews
          .of(gpu)
          .map(review ->
              new ReviewView(
                  review.predictor(),
                  review.reasons().isEmpty(),
                  Math.round(review.summedUtilizationPercent() * 1_000) / 1_000.0,
                  review.reasons()))
          .orElse(null);
    }
  }

  static GpusView of(
      Shown shown, Page<GpuSnapshot> page, SharingLimits limits, Visibility visibility) {
    LiveCluster cluster = shown.cluster();
    return new GpusView(
        cluster.readings().kind(),
        cluster.readings().readAt().map(Instant::toString).orElse(null),
        cluster.readings().description(),
        limits.summedUtilization().percent(),
        Math.round(limits.memoryHeadroomFraction() * 100_000) / 1_000.0,
        limits.tenants(),
        page.map(gpu -> Redaction.of(gpu, visibility, shown.review(gpu.uuid()))).entries(),
        page.next());
  }
}
