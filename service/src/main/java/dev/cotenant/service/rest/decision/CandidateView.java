package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.service.access.Visibility;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An eligible GPU. What is granted on it, measured and forecast are three different amounts.
 *
 * @param holder who has it whole; absent where it is shared
 * @param tenants who shares it
 * @param summedUtilizationPercent sum of the tenants' predicted upper bounds
 * @param observedUtilizationPercent as measured; absent where it was not
 * @param unattributedUtilizationPercent of it, what no tenant explains; absent as the former
 * @param summedMemoryBytes sum of the tenants' predicted upper bounds
 * @param usedMemoryBytes the newest sample; absent unless it is fresh
 * @param forecastMemoryBytes forecast bound; absent unless the newest sample is fresh
 * @param unattributedMemoryBytes of what is used, what no tenant explains; absent as the former
 * @param memoryLimitBytes usable memory less headroom
 * @param metrics {@code fresh}, {@code stale} or {@code missing}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record CandidateView(
    @JsonProperty("gpu") String gpu,
    @JsonProperty("node") String node,
    @JsonProperty("device") String device,
    @JsonProperty("holder") @Nullable String holder,
    @JsonProperty("tenants") List<String> tenants,
    @JsonProperty("summed_utilization_percent") double summedUtilizationPercent,
    @JsonProperty("observed_utilization_percent") @Nullable Double observedUtilizationPercent,
    @JsonProperty("unattributed_utilization_percent")
        @Nullable Double unattributedUtilizationPercent,
    @JsonProperty("utilization_limit_percent") double utilizationLimitPercent,
    @JsonProperty("summed_memory_bytes") long summedMemoryBytes,
    @JsonProperty("used_memory_bytes") @Nullable Long usedMemoryBytes,
    @JsonProperty("forecast_memory_bytes") @Nullable Long forecastMemoryBytes,
    @JsonProperty("unattributed_memory_bytes") @Nullable Long unattributedMemoryBytes,
    @JsonProperty("memory_limit_bytes") long memoryLimitBytes,
    @JsonProperty("metrics") String metrics) {
  /** Number of GPUs that people compare. */
  private static final int MAX = 5;

  /** The GPUs that were granted, else those of the first reasons. */
  static List<CandidateView> of(
      @Nullable Decision decision,
      ClusterSnapshot cluster,
      DeviceLimits limits,
      Visibility visibility) {
    return uuids(decision)
        .distinct()
        .limit(MAX)
        .map(cluster::find)
        .flatMap(Optional::stream)
        .map(gpu -> of(gpu, limits.on(gpu.device().id()), visibility))
        .toList();
  }

  private static Stream<String> uuids(@Nullable Decision decision) {
    return switch (decision) {
      case null -> Stream.empty();
      case Decision.Admitted admitted -> admitted.grants().stream().map(Grant::gpuUuid);
      case Decision.Held(List<Reason> reasons) -> ofReasons(reasons);
      case Decision.Denied(List<Reason> reasons) -> ofReasons(reasons);
    };
  }

  private static Stream<String> ofReasons(List<Reason> reasons) {
    return reasons.stream()
        .filter(Reason.OfGpu.class::isInstance)
        .map(reason -> ((Reason.OfGpu) reason).gpuUuid());
  }

  private static CandidateView of(GpuSnapshot gpu, SharingLimits limits, Visibility visibility) {
    List<Tenant> tenants =
        gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> shared) ? shared : List.of();
    double summedPercent =
        tenants.stream().mapToDouble(tenant -> tenant.utilization().upper().percent()).sum();
    long summedBytes =
        tenants.stream().mapToLong(tenant -> tenant.peakMemory().upper().bytes()).sum();
    @Nullable Utilization observed = gpu.observedUtilization();
    Memory memory = Memory.of(gpu.memory(), summedBytes);
    boolean whole = gpu.tenancy() instanceof Tenancy.Exclusive;
    return new CandidateView(
        gpu.uuid(),
        gpu.node(),
        gpu.device().id().value(),
        gpu.tenancy() instanceof Tenancy.Exclusive(String holder) ? visibility.name(holder) : null,
        tenants.stream().map(Tenant::name).map(visibility::name).toList(),
        rounded(summedPercent),
        observed == null ? null : rounded(observed.percent()),
        observed == null || whole ? null : rounded(Math.max(0, observed.percent() - summedPercent)),
        limits.summedUtilization().percent(),
        summedBytes,
        memory.used(),
        memory.forecast(),
        whole ? null : memory.unattributed(),
        (long) (gpu.capacity().bytes() * (1 - limits.memoryHeadroomFraction())),
        memory.metrics());
  }

  private static double rounded(double percent) {
    return Math.round(percent * 1_000) / 1_000.0;
  }

  private record Memory(
      String metrics, @Nullable Long used, @Nullable Long forecast, @Nullable Long unattributed) {
    static Memory of(MemoryObservation observation, long summedBytes) {
      return switch (observation) {
        case MemoryObservation.Measured measured -> {
          long used = measured.lastUsed().bytes();
          yield new Memory("fresh", used, forecast(measured), Math.max(0, used - summedBytes));
        }
        case MemoryObservation.Stale _ -> new Memory("stale", null, null, null);
        case MemoryObservation.Unmeasured _ -> new Memory("missing", null, null, null);
      };
    }

    private static long forecast(MemoryObservation.Measured measured) {
      return measured.forecasts().stream()
          .map(MemoryForecast::result)
          .filter(MemoryForecast.Applies.class::isInstance)
          .mapToLong(result -> ((MemoryForecast.Applies) result).peakUpper().bytes())
          .max()
          .orElse(measured.windowPeak().bytes());
    }
  }
}
