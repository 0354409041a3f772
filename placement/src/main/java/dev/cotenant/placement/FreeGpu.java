package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether a GPU is free: neither granted nor in use. */
final class FreeGpu {
  /** What a monitor may show on an idle GPU. */
  private static final Utilization IDLE_UTILIZATION = Utilization.ofPercent(5);

  /** What a driver may hold on an idle GPU; more means that it is in use. */
  private static final MemorySize IDLE_USE = MemorySize.ofGiB(1);

  private FreeGpu() {}

  static boolean isFree(GpuSnapshot gpu) {
    return gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants)
        && tenants.isEmpty()
        && whyNotIdle(gpu).isEmpty();
  }

  /** Whether it has tenants, or measured usage without a grant. */
  static boolean isInUse(GpuSnapshot gpu) {
    return !(gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants) && tenants.isEmpty())
        || whyNotIdle(gpu).filter(Reason.ExclusiveRequested.class::isInstance).isPresent();
  }

  static Optional<Reason> whyNot(GpuSnapshot gpu) {
    return switch (gpu.tenancy()) {
      case Tenancy.Mig _ -> Optional.of(new Reason.MigNotShareable(gpu.uuid(), gpu.node()));
      case Tenancy.Exclusive(String holder) -> Optional.of(heldBy(gpu, holder));
      case Tenancy.Shared(List<Tenant> tenants) when !tenants.isEmpty() ->
          Optional.of(
              heldBy(gpu, tenants.stream().map(Tenant::name).collect(Collectors.joining(", "))));
      case Tenancy.Shared _ -> whyNotIdle(gpu);
    };
  }

  private static Optional<Reason> whyNotIdle(GpuSnapshot gpu) {
    return switch (gpu.memory()) {
      case MemoryObservation.Unmeasured _ ->
          Optional.of(new Reason.NoMetrics(gpu.uuid(), gpu.node()));
      case MemoryObservation.Stale(var age, var limit) ->
          Optional.of(new Reason.MetricsStale(gpu.uuid(), gpu.node(), age, limit));
      case MemoryObservation.Measured measured ->
          measured.lastUsed().isAtMost(IDLE_USE)
              ? whyBusy(gpu)
              : Optional.of(heldBy(gpu, "unattributed usage of " + measured.lastUsed()));
    };
  }

  private static Optional<Reason> whyBusy(GpuSnapshot gpu) {
    Utilization observed = gpu.observedUtilization();
    return observed == null || observed.compareTo(IDLE_UTILIZATION) <= 0
        ? Optional.empty()
        : Optional.of(heldBy(gpu, "unattributed usage of " + observed));
  }

  private static Reason heldBy(GpuSnapshot gpu, String holder) {
    return new Reason.ExclusiveRequested(gpu.uuid(), gpu.node(), holder);
  }
}
