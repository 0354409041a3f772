package dev.cotenant.service.rest.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.history.Consolidation.Pair;
import dev.cotenant.service.history.GpuRow;
import dev.cotenant.service.history.MeasuredHarm.Harm;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Changes since the last event; the first event is complete.
 *
 * @param at when it was so
 * @param cluster where the readings come from, and the limits
 * @param predictor label of the serving version
 * @param figures all totals by name
 * @param waiting gated pods by the code of their leading cause; absent where no gate decides
 * @param pairs pods that each have a GPU without neighbours and would be admitted to one
 * @param harm measured harm of colocated pods, the worst first
 * @param decisions grows with every decision of this process
 * @param gpus those that are new or have changed
 * @param removed uuids of removed GPUs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EventView(
    @JsonProperty("at") String at,
    @JsonProperty("cluster") SourceView cluster,
    @JsonProperty("predictor") String predictor,
    @JsonProperty("figures") Map<String, Double> figures,
    @JsonProperty("waiting") @Nullable List<CauseView> waiting,
    @JsonProperty("pairs") List<PairView> pairs,
    @JsonProperty("harm") List<HarmView> harm,
    @JsonProperty("decisions") long decisions,
    @JsonProperty("gpus") List<GpuRow> gpus,
    @JsonProperty("removed") List<String> removed) {
  public EventView {
    figures = Map.copyOf(figures);
    pairs = List.copyOf(pairs);
    harm = List.copyOf(harm);
    gpus = List.copyOf(gpus);
    removed = List.copyOf(removed);
  }

  /**
   * Where readings come from, and the limits of decisions.
   *
   * @param source a recording, or {@code prometheus}
   * @param recordedAt when it was recorded or last read; absent before the first reading
   * @param horizonSeconds for which the use of memory is bounded ahead
   * @param prices of a GPU hour, by device; empty where none are configured
   * @param currency of these; absent where none is configured
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record SourceView(
      @JsonProperty("source") String source,
      @JsonProperty("recorded_at") @Nullable String recordedAt,
      @JsonProperty("description") String description,
      @JsonProperty("utilization_limit_percent") double utilizationLimitPercent,
      @JsonProperty("memory_headroom_percent") double memoryHeadroomPercent,
      @JsonProperty("tenant_limit") int tenantLimit,
      @JsonProperty("slowdown_limit") double slowdownLimit,
      @JsonProperty("forecast_horizon_seconds") long horizonSeconds,
      @JsonProperty("prices") Map<String, Double> prices,
      @JsonProperty("currency") @Nullable String currency) {
    public SourceView {
      prices = Map.copyOf(prices);
    }
  }

  /**
   * Two pods that would be admitted to one GPU, the second one's.
   *
   * @param utilizationPercent what is granted to both
   */
  public record PairView(
      @JsonProperty("pods") List<String> pods,
      @JsonProperty("gpu") String gpu,
      @JsonProperty("device") String device,
      @JsonProperty("utilization_percent") double utilizationPercent) {
    public PairView {
      pods = List.copyOf(pods);
    }

    static PairView of(Pair pair, Visibility visibility) {
      return new PairView(
          List.of(visibility.name(pair.moves()), visibility.name(pair.stays())),
          pair.gpu(),
          pair.device(),
          Math.round(pair.grantedPercent() * 10) / 10.0);
    }
  }

  /**
   * A measured colocated pod.
   *
   * @param signal {@code slowdown}, a ratio, or {@code latency}, in seconds
   * @param limit of the grant
   */
  public record HarmView(
      @JsonProperty("pod") String pod,
      @JsonProperty("gpu") String gpu,
      @JsonProperty("signal") String signal,
      @JsonProperty("value") double value,
      @JsonProperty("limit") double limit,
      @JsonProperty("at") String at) {
    static HarmView of(Harm harm, Visibility visibility) {
      return new HarmView(
          visibility.name(harm.pod()),
          harm.gpu(),
          harm.signal().name().toLowerCase(Locale.ROOT),
          Math.round(harm.value() * 1_000) / 1_000.0,
          Math.round(harm.limit() * 1_000) / 1_000.0,
          harm.at().toString());
    }
  }

  /** How many pods wait for one cause. */
  public record CauseView(@JsonProperty("code") String code, @JsonProperty("pods") int pods) {}
}
