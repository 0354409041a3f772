package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A GPU with what every question about it has in common.
 *
 * @param rank its place among all by node and uuid
 * @param busyPercent upper bounds of the tenants' utilization and what unknown users keep busy;
 *     infinite where it is not shared
 * @param leastUsedBytes the least that any estimator says is in use; beyond any GPU where none can
 * @param tenants how many share it
 * @param strictestSlowdown the least that any tenant was promised, where somebody is there and
 *     nothing but utilization is known of all; else NaN
 */
record IndexedGpu(
    GpuSnapshot gpu,
    int rank,
    double busyPercent,
    long leastUsedBytes,
    int tenants,
    double strictestSlowdown) {
  /** The busiest first, equals by name. */
  static final Comparator<IndexedGpu> BUSIEST_FIRST =
      Comparator.comparingDouble(IndexedGpu::busyPercent)
          .reversed()
          .thenComparingInt(IndexedGpu::rank);

  static IndexedGpu of(GpuSnapshot gpu, int rank, Instant now) {
    return switch (gpu.tenancy()) {
      case Tenancy.Mig _, Tenancy.Exclusive _ ->
          new IndexedGpu(gpu, rank, Double.POSITIVE_INFINITY, Long.MAX_VALUE, 0, Double.NaN);
      case Tenancy.Shared(List<Tenant> tenants) ->
          new IndexedGpu(
              gpu,
              rank,
              busy(gpu, tenants, now),
              leastUsed(gpu, tenants, now),
              tenants.size(),
              strictest(gpu, tenants, now));
    };
  }

  /** In the order in which {@link ShareCheck} adds, so that sums are the same to the last bit. */
  private static double busy(GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    return SummedUtilization.of(tenants.stream().map(t -> t.utilization().upper()).toList())
        .plus(UnknownUsers.of(gpu, tenants, now))
        .percent();
  }

  private static double strictest(GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    boolean nobody =
        tenants.isEmpty() && UnknownUsers.of(gpu, tenants, now).equals(Utilization.IDLE);
    return nobody || tenants.stream().anyMatch(tenant -> tenant.run() != null)
        ? Double.NaN
        : tenants.stream()
            .mapToDouble(tenant -> tenant.slowdownLimit().ratio())
            .min()
            .orElse(Double.POSITIVE_INFINITY);
  }

  private static long leastUsed(GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    return gpu.memory() instanceof MemoryOutlook.Measured measured
        ? UsedMemory.least(UsedMemory.estimates(measured, tenants, now)).bytes().bytes()
        : Long.MAX_VALUE;
  }

  /** Whether so much more fits below the limit by the kindest estimate. */
  boolean hasRoomFor(MemorySize needed, MemorySize limit) {
    return leastUsedBytes <= limit.bytes() && needed.bytes() <= limit.bytes() - leastUsedBytes;
  }
}
