package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.placement.RiskKinds.Numbering;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The GPUs of one product, the busiest first; those that are not shared come before all others. */
final class UtilizationBucket {
  /** From so many changes on sorting again is cheaper than moving each into place. */
  private static final int MANY = 16;

  private final DeviceId product;
  private final IndexedGpu[] gpus;
  private volatile @Nullable TenantColumns tenants;

  private UtilizationBucket(DeviceId product, IndexedGpu[] gpus, @Nullable TenantColumns tenants) {
    this.product = product;
    this.gpus = gpus;
    this.tenants = tenants;
  }

  /** The quicker, the more they are in order already. */
  static UtilizationBucket of(DeviceId product, List<IndexedGpu> gpus) {
    IndexedGpu[] sorted = gpus.toArray(IndexedGpu[]::new);
    Arrays.sort(sorted, IndexedGpu.BUSIEST_FIRST);
    return new UtilizationBucket(product, sorted, null);
  }

  DeviceId product() {
    return product;
  }

  /** The tenants in this order, as numbered by these kinds. */
  @SuppressWarnings("ReferenceEquality") // numberings are identities
  TenantColumns tenants(RiskKinds all) {
    Numbering numbering = all.numbering();
    TenantColumns known = tenants;
    if (known == null || known.numbering() != numbering) {
      known = TenantColumns.of(all, numbering, gpus);
      tenants = known;
    }
    return known;
  }

  int size() {
    return gpus.length;
  }

  /** In this order. */
  List<IndexedGpu> gpus() {
    return Arrays.asList(gpus);
  }

  IndexedGpu get(int place) {
    return gpus[place];
  }

  /** Whether this holds for one of them. */
  boolean any(Predicate<GpuSnapshot> holds) {
    for (IndexedGpu indexed : gpus) {
      if (holds.test(indexed.gpu())) {
        return true;
      }
    }
    return false;
  }

  /** The first place from which on utilization stays within the limit with so much added. */
  int firstWithin(double limitPercent, double addedPercent) {
    return first(gpu -> gpu.busyPercent() + addedPercent <= limitPercent);
  }

  /** The first place from which on utilization stays below this with so much added. */
  int firstBelow(double percent, double addedPercent) {
    return first(gpu -> gpu.busyPercent() + addedPercent < percent);
  }

  /** The first place where this holds, which it does from there on. */
  private int first(Predicate<IndexedGpu> holds) {
    int low = 0;
    int high = gpus.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (holds.test(gpus[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The first place from which on GPUs are idle. */
  int firstIdle() {
    return firstWithin(0, 0);
  }

  /** One GPU in place of each. */
  UtilizationBucket with(List<IndexedGpu> before, List<IndexedGpu> after) {
    if (before.size() >= MANY) {
      IndexedGpu[] changed = gpus.clone();
      for (int i = 0; i < before.size(); i++) {
        changed[place(before.get(i))] = after.get(i);
      }
      return of(product, Arrays.asList(changed));
    }
    UtilizationBucket changed = this;
    for (int i = 0; i < before.size(); i++) {
      changed = changed.with(before.get(i), after.get(i));
    }
    return changed;
  }

  private int place(IndexedGpu gpu) {
    return Arrays.binarySearch(gpus, gpu, IndexedGpu.BUSIEST_FIRST);
  }

  private UtilizationBucket with(IndexedGpu before, IndexedGpu after) {
    int from = place(before);
    int found = place(after);
    int beside = found >= 0 ? found : -found - 1;
    int to = beside > from ? beside - 1 : beside;
    IndexedGpu[] moved = gpus.clone();
    if (to > from) {
      System.arraycopy(gpus, from + 1, moved, from, to - from);
    } else {
      System.arraycopy(gpus, to, moved, to + 1, from - to);
    }
    moved[to] = after;
    TenantColumns columns = tenants;
    return new UtilizationBucket(
        product, moved, columns == null ? null : columns.moved(from, to, after));
  }
}
