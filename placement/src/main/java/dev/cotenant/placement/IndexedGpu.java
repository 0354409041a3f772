package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.interference.partition.PartitionGroup;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU with the figures that all decisions on a snapshot share; those that few decisions need are
 * found when they are first needed. Safe for use by several threads.
 */
final class IndexedGpu {
  /** The busiest first, equals by name. */
  static final Comparator<IndexedGpu> BUSIEST_FIRST =
      Comparator.comparingDouble(IndexedGpu::busyPercent)
          .reversed()
          .thenComparingInt(IndexedGpu::rank);

  /** Of those with partitions, the largest shares first, equals by name. */
  static final Comparator<IndexedGpu> LARGEST_SHARES_FIRST =
      Comparator.comparingDouble(IndexedGpu::sharePercent)
          .reversed()
          .thenComparingInt(IndexedGpu::rank);

  private static final long NOT_FOUND = -1;

  private final GpuSnapshot gpu;
  private final int rank;
  private final Instant now;
  private final List<Tenant> tenants;
  private final int tenantCount;
  private final long capacityBytes;
  private final boolean isClosed;
  private final SummedUtilization granted;
  private final double meansPercent;
  private final Instant newest;
  private final Utilization unattributedUsage;
  private final double busyPercent;
  private final RiskKinds.OfGpu kinds;
  private volatile @Nullable Neighbours neighbours;
  private volatile long leastUsedBytes = NOT_FOUND;

  private IndexedGpu(GpuSnapshot gpu, int rank, Instant now, @Nullable IndexedGpu before) {
    this.gpu = gpu;
    this.rank = rank;
    this.now = now;
    tenants = gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> shared) ? shared : List.of();
    tenantCount = tenants.size();
    capacityBytes = gpu.capacity().bytes();
    boolean isAsBefore = before != null && before.hasTenants(gpu, tenants);
    if (before != null && isAsBefore) {
      isClosed = before.isClosed;
      granted = before.granted;
      meansPercent = before.meansPercent;
      newest = before.newest;
      kinds = before.kinds;
    } else {
      isClosed = !(gpu.tenancy() instanceof Tenancy.Shared) || isClosed(tenants);
      granted = ShareCheck.summed(tenants);
      double means = 0;
      Instant last = Instant.MIN;
      for (Tenant tenant : tenants) {
        means += tenant.utilization().mean().percent();
        last = tenant.since().isAfter(last) ? tenant.since() : last;
      }
      meansPercent = means;
      newest = last;
      kinds = new RiskKinds.OfGpu();
    }
    unattributedUsage =
        isClosed ? Utilization.IDLE : UnattributedUsage.of(gpu, tenants, meansPercent, newest, now);
    busyPercent = isClosed ? Double.POSITIVE_INFINITY : granted.plus(unattributedUsage).percent();
    neighbours =
        before != null && isAsBefore && isUnattributed() == before.isUnattributed()
            ? before.neighbours
            : null;
  }

  /**
   * The figures of a GPU.
   *
   * <p>Sums in the order of {@link ShareCheck}, for bitwise equal results.
   *
   * @param rank its place among all by node and uuid
   * @param before the GPU in an earlier index, whose equal figures are reused; null if none
   */
  static IndexedGpu of(GpuSnapshot gpu, int rank, Instant now, @Nullable IndexedGpu before) {
    return new IndexedGpu(gpu, rank, now, before);
  }

  private static boolean isClosed(List<Tenant> tenants) {
    for (Tenant tenant : tenants) {
      if (tenant.profiledUntil() != null || tenant.guardedSince() != null) {
        return true;
      }
    }
    return false;
  }

  /** Whether these tenants are the same objects, which is quickly found. */
  @SuppressWarnings("ReferenceEquality")
  private boolean hasTenants(GpuSnapshot now, List<Tenant> others) {
    if (gpu.tenancy().getClass() != now.tenancy().getClass()
        || gpu.device() != now.device()
        || tenants.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < tenants.size(); i++) {
      if (tenants.get(i) != others.get(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean isUnattributed() {
    return !unattributedUsage.equals(Utilization.IDLE);
  }

  GpuSnapshot gpu() {
    return gpu;
  }

  int rank() {
    return rank;
  }

  /**
   * Upper bounds of the tenants' utilization and the unattributed utilization; infinite where it is
   * not shared, or closed by profiling or the guard.
   */
  double busyPercent() {
    return busyPercent;
  }

  /** The kinds of the tenants. */
  RiskKinds.OfGpu kinds() {
    return kinds;
  }

  /** How many have a grant. */
  int tenants() {
    return tenantCount;
  }

  /** Bytes of its memory. */
  long capacityBytes() {
    return capacityBytes;
  }

  /** The neighbours of a newcomer. */
  Neighbours neighbours() {
    Neighbours known = neighbours;
    if (known == null) {
      known = isClosed ? Neighbours.NONE : Neighbours.of(tenants, unattributedUsage);
      neighbours = known;
    }
    return known;
  }

  /** Shares of its tenants where all are profiled services, percent; 0 where not. */
  double sharePercent() {
    PartitionGroup partitions = neighbours().partitions();
    return partitions == null ? 0 : partitions.sharePercent();
  }

  /** Finds what few decisions need, too. */
  void prepare() {
    neighbours();
    fits(0, 0);
  }

  /** Whether so much more fits below the limit by the least estimate of used memory. */
  boolean fits(long neededBytes, long limitBytes) {
    long used = leastUsedBytes;
    if (used == NOT_FOUND) {
      used = isClosed ? Long.MAX_VALUE : leastUsed();
      leastUsedBytes = used;
    }
    return used <= limitBytes && neededBytes <= limitBytes - used;
  }

  /** By any estimator; beyond any GPU where none has one. */
  private long leastUsed() {
    return gpu.memory() instanceof MemoryObservation.Measured measured
        ? UsedMemory.leastForAny(measured, tenants, now).bytes()
        : Long.MAX_VALUE;
  }
}
