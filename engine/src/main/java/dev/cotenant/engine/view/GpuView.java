package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU, its tenants and its memory.
 *
 * @param tenancy {@code shared}, {@code exclusive} or {@code mig}
 * @param holder who holds it whole; absent when shared
 * @param observedUtilizationPercent how busy it was over the window of samples, by all processes;
 *     absent where not measured
 * @param metrics {@code fresh}, {@code stale} or {@code missing}
 * @param usedBytes the newest sample; absent unless fresh
 * @param ageSeconds its age; absent when missing
 * @param review its grants by the serving predictor; absent where all were granted by it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GpuView(
    @JsonProperty("uuid") String uuid,
    @JsonProperty("node") String node,
    @JsonProperty("device") String device,
    @JsonProperty("capacity_bytes") long capacityBytes,
    @JsonProperty("tenancy") String tenancy,
    @JsonProperty("holder") @Nullable String holder,
    @JsonProperty("tenants") List<TenantView> tenants,
    @JsonProperty("summed_utilization_percent") double summedUtilizationPercent,
    @JsonProperty("observed_utilization_percent") @Nullable Double observedUtilizationPercent,
    @JsonProperty("metrics") String metrics,
    @JsonProperty("used_bytes") @Nullable Long usedBytes,
    @JsonProperty("age_seconds") @Nullable Long ageSeconds,
    @JsonProperty("forecasts") List<ForecastView> forecasts,
    @JsonProperty("review") @Nullable ReviewView review) {

  /**
   * Standing grants after a promotion or rollback. Shown only: grants do not change.
   *
   * @param predictor label of the serving version
   * @param withinLimits whether all grants would be granted now
   * @param summedUtilizationPercent sum of the upper bounds of now
   * @param reasons broken limits with their numbers
   */
  public record ReviewView(
      @JsonProperty("predictor") String predictor,
      @JsonProperty("within_limits") boolean withinLimits,
      @JsonProperty("summed_utilization_percent") double summedUtilizationPercent,
      @JsonProperty("reasons") List<String> reasons) {
    public ReviewView {
      reasons = List.copyOf(reasons);
    }
  }

  /**
   * A tenant and its predictions.
   *
   * @param profiledUntil until when at the latest it is measured alone, and the GPU is closed to
   *     others; absent where it is not
   * @param guardedSince since when the guard has closed the GPU to others; absent where it has not
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record TenantView(
      @JsonProperty("name") String name,
      @JsonProperty("utilization_percent") BoundsView utilizationPercent,
      @JsonProperty("peak_memory_bytes") BoundsView peakMemoryBytes,
      @JsonProperty("since") String since,
      @JsonProperty("profiled_until") @Nullable String profiledUntil,
      @JsonProperty("guarded_since") @Nullable String guardedSince) {
    static TenantView of(Tenant tenant) {
      return new TenantView(
          tenant.name(),
          BoundsView.of(tenant.utilization()),
          BoundsView.of(tenant.peakMemory()),
          tenant.since().toString(),
          tenant.profiledUntil() == null ? null : tenant.profiledUntil().toString(),
          tenant.guardedSince() == null ? null : tenant.guardedSince().toString());
    }
  }

  private record Memory(
      String metrics,
      @Nullable Long usedBytes,
      @Nullable Long ageSeconds,
      List<ForecastView> forecasts) {
    static Memory of(MemoryObservation observation, MemorySize capacity) {
      return switch (observation) {
        case MemoryObservation.Measured measured ->
            new Memory(
                "fresh",
                measured.lastUsed().bytes(),
                measured.age().toSeconds(),
                measured.forecasts().stream().map(f -> ForecastView.of(f, capacity)).toList());
        case MemoryObservation.Stale stale ->
            new Memory("stale", null, stale.age().toSeconds(), List.of());
        case MemoryObservation.Unmeasured _ -> new Memory("missing", null, null, List.of());
      };
    }
  }

  public static GpuView of(GpuSnapshot gpu) {
    Memory memory = Memory.of(gpu.memory(), gpu.capacity());
    List<Tenant> tenants =
        gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> shared) ? shared : List.of();
    Utilization observed = gpu.observedUtilization();
    return new GpuView(
        gpu.uuid(),
        gpu.node(),
        gpu.device().id().value(),
        gpu.capacity().bytes(),
        tenancy(gpu.tenancy()),
        gpu.tenancy() instanceof Tenancy.Exclusive(String holder) ? holder : null,
        tenants.stream().map(TenantView::of).toList(),
        tenants.stream().mapToDouble(t -> t.utilization().upper().percent()).sum(),
        observed == null ? null : observed.percent(),
        memory.metrics(),
        memory.usedBytes(),
        memory.ageSeconds(),
        memory.forecasts(),
        null);
  }

  private static String tenancy(Tenancy tenancy) {
    return switch (tenancy) {
      case Tenancy.Shared _ -> "shared";
      case Tenancy.Exclusive _ -> "exclusive";
      case Tenancy.Mig _ -> "mig";
    };
  }
}
