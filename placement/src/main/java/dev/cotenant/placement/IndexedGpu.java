package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A GPU with the figures that all decisions on a snapshot share.
 *
 * @param rank its place among all by node and uuid
 * @param busyPercent upper bounds of the tenants' utilization and the unattributed utilization;
 *     infinite where it is not shared, or closed by profiling or the guard
 * @param leastUsedBytes the least used memory by any estimator; beyond any GPU where none has one
 * @param neighbours of a newcomer
 * @param kinds of the tenants
 */
record IndexedGpu(
    GpuSnapshot gpu,
    int rank,
    double busyPercent,
    long leastUsedBytes,
    Neighbours neighbours,
    RiskKinds.OfGpu kinds) {
  /** The busiest first, equals by name. */
  static final Comparator<IndexedGpu> BUSIEST_FIRST =
      Comparator.comparingDouble(IndexedGpu::busyPercent)
          .reversed()
          .thenComparingInt(IndexedGpu::rank);

  static IndexedGpu of(GpuSnapshot gpu, int rank, Instant now) {
    return switch (gpu.tenancy()) {
      case Tenancy.Mig _, Tenancy.Exclusive _ -> closed(gpu, rank);
      case Tenancy.Shared(List<Tenant> tenants) when isClosed(tenants) -> closed(gpu, rank);
      case Tenancy.Shared(List<Tenant> tenants) -> shared(gpu, rank, tenants, now);
    };
  }

  private static IndexedGpu closed(GpuSnapshot gpu, int rank) {
    return new IndexedGpu(
        gpu,
        rank,
        Double.POSITIVE_INFINITY,
        Long.MAX_VALUE,
        Neighbours.NONE,
        new RiskKinds.OfGpu());
  }

  private static boolean isClosed(List<Tenant> tenants) {
    for (Tenant tenant : tenants) {
      if (tenant.profiledUntil() != null || tenant.guardedSince() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Sums in the order in which {@link ShareCheck} adds, so that they are the same to the last bit.
   */
  private static IndexedGpu shared(GpuSnapshot gpu, int rank, List<Tenant> tenants, Instant now) {
    Utilization unattributedUsage = UnattributedUsage.of(gpu, tenants, now);
    double busy = ShareCheck.summed(tenants).plus(unattributedUsage).percent();
    return new IndexedGpu(
        gpu,
        rank,
        busy,
        leastUsed(gpu, tenants, now),
        Neighbours.of(gpu, tenants, unattributedUsage),
        new RiskKinds.OfGpu());
  }

  private static long leastUsed(GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    return gpu.memory() instanceof MemoryOutlook.Measured measured
        ? UsedMemory.least(UsedMemory.estimates(measured, tenants, now)).bytes().bytes()
        : Long.MAX_VALUE;
  }

  /** Whether so much more fits below the limit by the least estimate. */
  boolean fits(long neededBytes, long limitBytes) {
    return leastUsedBytes <= limitBytes && neededBytes <= limitBytes - leastUsedBytes;
  }
}
