package dev.cotenant.service.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.service.access.Visibility;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster looked like, minute by minute. All methods throw {@link
 * dev.cotenant.engine.lifecycle.StoreException} where the database cannot be used.
 */
public interface HistoryStore {
  /** How long every minute of a GPU is stored; from then on one minute in fifteen. */
  Duration FINE = Duration.ofDays(1);

  /**
   * Stores a minute, unless another replica has.
   *
   * @param minute since 1970
   * @return whether it was stored
   */
  boolean add(long minute, ClusterState state);

  /**
   * Deletes what is too old or too much.
   *
   * @param before minute since 1970; all that is older
   * @param fineBefore minutes of GPUs that are older, but for one in fifteen
   * @param gpuRows largest number of minutes of GPUs, of which the oldest are deleted
   */
  void trim(long before, long fineBefore, long gpuRows);

  /**
   * Means of figures.
   *
   * @param from minute since 1970
   * @param step minutes of a point, at least 1
   * @return in order of time; a point without any minute is absent
   */
  List<Point> points(long from, int step);

  /** Minutes of a GPU, in order of time; empty for one that is not known. */
  List<GpuPoint> gpu(String uuid, long from);

  /**
   * Means over some minutes.
   *
   * @param at begin of these, ISO 8601
   * @param minutes number of minutes in it
   * @param figures by {@link Figure#key()}
   */
  record Point(
      @JsonProperty("at") String at,
      @JsonProperty("minutes") int minutes,
      @JsonProperty("figures") Map<String, Double> figures) {
    public Point {
      figures = Map.copyOf(figures);
    }
  }

  /** A minute of a GPU; amounts as in {@link GpuRow}. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record GpuPoint(
      @JsonProperty("at") String at,
      @JsonProperty("used_bytes") @Nullable Long usedBytes,
      @JsonProperty("forecast_upper_bytes") @Nullable Long forecastUpperBytes,
      @JsonProperty("granted_bytes") long grantedBytes,
      @JsonProperty("utilization_percent") @Nullable Double utilizationPercent,
      @JsonProperty("predicted_percent") double predictedPercent,
      @JsonProperty("tenants") List<String> tenants) {
    public GpuPoint {
      tenants = List.copyOf(tenants);
    }

    /** The same, without the names that a caller may not read. */
    public GpuPoint redacted(Visibility visibility) {
      return new GpuPoint(
          at,
          usedBytes,
          forecastUpperBytes,
          grantedBytes,
          utilizationPercent,
          predictedPercent,
          tenants.stream().map(visibility::name).toList());
    }
  }
}
