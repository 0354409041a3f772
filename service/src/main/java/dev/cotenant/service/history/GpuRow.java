package dev.cotenant.service.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.service.access.Visibility;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU in one line.
 *
 * @param index the driver's number of it on its node; null where unknown
 * @param state what it is used for
 * @param unschedulable why its node takes no pods, such as {@code cordoned}; null where it takes
 *     them, or where nodes are not known
 * @param usedBytes newest sample; null unless fresh
 * @param forecastUpperBytes bound on the memory in use over the decision horizon; null without one
 * @param assumedUpperBytes the share of capacity that decisions count in place of that bound, while
 *     too few samples are there for one; null otherwise
 * @param predictedBytes sum of the expected peaks of its tenants
 * @param grantedBytes sum of their upper bounds
 * @param utilizationPercent measured mean of the window; null where not measured
 * @param predictedPercent sum of the expected utilization of its tenants
 * @param grantedPercent sum of the upper bounds
 * @param worstSlowdown largest predicted slowdown of a tenant, 1 for fewer than two
 * @param guarded whether the guard has closed it
 * @param tenants pods that share it, or the one that holds it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GpuRow(
    @JsonProperty("uuid") String uuid,
    @JsonProperty("node") String node,
    @JsonProperty("index") @Nullable Integer index,
    @JsonProperty("device") String device,
    @JsonProperty("state") GpuState state,
    @JsonProperty("unschedulable") @Nullable String unschedulable,
    @JsonProperty("capacity_bytes") long capacityBytes,
    @JsonProperty("used_bytes") @Nullable Long usedBytes,
    @JsonProperty("forecast_upper_bytes") @Nullable Long forecastUpperBytes,
    @JsonProperty("assumed_upper_bytes") @Nullable Long assumedUpperBytes,
    @JsonProperty("predicted_bytes") long predictedBytes,
    @JsonProperty("granted_bytes") long grantedBytes,
    @JsonProperty("utilization_percent") @Nullable Double utilizationPercent,
    @JsonProperty("predicted_percent") double predictedPercent,
    @JsonProperty("granted_percent") double grantedPercent,
    @JsonProperty("worst_slowdown") double worstSlowdown,
    @JsonProperty("guarded") boolean guarded,
    @JsonProperty("tenants") List<String> tenants) {
  /** A process keeps some hundred MiB, and samples of utilization have noise. */
  private static final long IDLE_BYTES = 1L << 30;

  private static final double IDLE_PERCENT = 5;

  public GpuRow {
    tenants = List.copyOf(tenants);
  }

  /** The row of a GPU, with its node's reason for taking no pods, if any. */
  static GpuRow of(GpuSnapshot gpu, double worstSlowdown, @Nullable String unschedulable) {
    List<Tenant> sharing =
        gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> shared) ? shared : List.of();
    Utilization observed = gpu.observedUtilization();
    Memory memory = Memory.of(gpu.memory());
    @Nullable Double percent =
        observed == null || memory.used == null ? null : rounded(observed.percent());
    GpuState state = state(gpu.tenancy(), memory.used, percent);
    return new GpuRow(
        gpu.uuid(),
        gpu.node(),
        gpu.index(),
        gpu.device().id().value(),
        state == GpuState.FREE && unschedulable != null ? GpuState.UNSCHEDULABLE : state,
        unschedulable,
        gpu.capacity().bytes(),
        memory.used,
        memory.forecastUpper,
        memory.assumedUpper,
        sharing.stream().mapToLong(one -> one.peakMemory().mean().bytes()).sum(),
        sharing.stream().mapToLong(one -> one.peakMemory().upper().bytes()).sum(),
        percent,
        rounded(sharing.stream().mapToDouble(one -> one.utilization().mean().percent()).sum()),
        rounded(sharing.stream().mapToDouble(one -> one.utilization().upper().percent()).sum()),
        Math.round(worstSlowdown * 1_000) / 1_000.0,
        sharing.stream().anyMatch(one -> one.guardedSince() != null),
        gpu.tenancy() instanceof Tenancy.Exclusive(String holder)
            ? List.of(holder)
            : sharing.stream().map(Tenant::name).toList());
  }

  /** The same, without the names that a caller may not read. */
  public GpuRow redacted(Visibility visibility) {
    return visibility.equals(Visibility.EVERYTHING)
        ? this
        : new GpuRow(
            uuid,
            node,
            index,
            device,
            state,
            unschedulable,
            capacityBytes,
            usedBytes,
            forecastUpperBytes,
            assumedUpperBytes,
            predictedBytes,
            grantedBytes,
            utilizationPercent,
            predictedPercent,
            grantedPercent,
            worstSlowdown,
            guarded,
            tenants.stream().map(visibility::name).toList());
  }

  /** Memory that is expected to be used: the most of use, forecast and grants. */
  long expectedBytes() {
    long used = usedBytes == null ? 0 : usedBytes;
    long ahead = forecastUpperBytes == null ? 0 : forecastUpperBytes;
    return Math.max(grantedBytes, Math.max(used, ahead));
  }

  private static GpuState state(
      Tenancy tenancy, @Nullable Long used, @Nullable Double utilization) {
    return switch (tenancy) {
      case Tenancy.Mig _ -> GpuState.MIG;
      case Tenancy.Exclusive _ -> GpuState.WHOLE;
      case Tenancy.Shared(List<Tenant> tenants) when tenants.size() > 1 -> GpuState.SHARED;
      case Tenancy.Shared(List<Tenant> tenants) when tenants.size() == 1 -> GpuState.SINGLE;
      case Tenancy.Shared _ -> {
        if (used == null) {
          yield GpuState.UNMEASURED;
        }
        boolean isUsed = used > IDLE_BYTES || (utilization != null && utilization > IDLE_PERCENT);
        yield isUsed ? GpuState.FOREIGN : GpuState.FREE;
      }
    };
  }

  private record Memory(
      @Nullable Long used, @Nullable Long forecastUpper, @Nullable Long assumedUpper) {
    /** By the first estimator that applies. */
    static Memory of(MemoryObservation observation) {
      if (!(observation instanceof MemoryObservation.Measured measured)) {
        return new Memory(null, null, null);
      }
      long used = measured.lastUsed().bytes();
      for (MemoryForecast forecast : measured.forecasts()) {
        if (forecast.result() instanceof MemoryForecast.Applies applies) {
          long bound = applies.peakUpper().bytes();
          return applies.assumed() ? new Memory(used, null, bound) : new Memory(used, bound, null);
        }
      }
      return new Memory(used, null, null);
    }
  }

  private static double rounded(double percent) {
    return Math.round(percent * 10) / 10.0;
  }
}
