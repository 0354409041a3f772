package dev.cotenant.service.rest.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.service.history.GpuRow;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is new since the event before; the first has everything.
 *
 * @param at when it was so
 * @param cluster where the readings come from, and the limits
 * @param predictor label of the serving version
 * @param figures all totals by name
 * @param waiting gated pods by the code of their first reason; absent where no gate decides
 * @param decisions grows with every decision of this process
 * @param gpus those that are new or have changed
 * @param removed uuids of those that are gone
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EventView(
    @JsonProperty("at") String at,
    @JsonProperty("cluster") SourceView cluster,
    @JsonProperty("predictor") String predictor,
    @JsonProperty("figures") Map<String, Double> figures,
    @JsonProperty("waiting") @Nullable List<CauseView> waiting,
    @JsonProperty("decisions") long decisions,
    @JsonProperty("gpus") List<GpuRow> gpus,
    @JsonProperty("removed") List<String> removed) {
  public EventView {
    figures = Map.copyOf(figures);
    gpus = List.copyOf(gpus);
    removed = List.copyOf(removed);
  }

  /**
   * Where readings come from, and the limits of decisions.
   *
   * @param source a recording, or {@code prometheus}
   * @param recordedAt when it was recorded or last read; absent before the first reading
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record SourceView(
      @JsonProperty("source") String source,
      @JsonProperty("recorded_at") @Nullable String recordedAt,
      @JsonProperty("description") String description,
      @JsonProperty("utilization_limit_percent") double utilizationLimitPercent,
      @JsonProperty("memory_headroom_percent") double memoryHeadroomPercent,
      @JsonProperty("tenant_limit") int tenantLimit) {}

  /** How many pods wait for one cause. */
  public record CauseView(@JsonProperty("code") String code, @JsonProperty("pods") int pods) {}
}
