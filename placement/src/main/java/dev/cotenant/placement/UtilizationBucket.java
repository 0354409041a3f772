package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.interference.partition.PartitionGroup;
import dev.cotenant.interference.partition.PartitionTerms;
import dev.cotenant.placement.RiskKinds.Numbering;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of one product, the busiest first; unshared ones precede all others. GPUs whose tenants are
 * all in partitions are also ordered by summed shares.
 */
final class UtilizationBucket {
  /** From so many changes on sorting again is cheaper than moving each into place. */
  private static final int MANY = 16;

  private final DeviceId product;
  private final IndexedGpu[] gpus;
  private volatile @Nullable TenantColumns tenants;
  private volatile @Nullable Partitioned partitioned;
  private volatile @Nullable BitSet unpartitioned;

  private UtilizationBucket(
      DeviceId product,
      IndexedGpu[] gpus,
      @Nullable TenantColumns tenants,
      @Nullable Partitioned partitioned,
      @Nullable BitSet unpartitioned) {
    this.product = product;
    this.gpus = gpus;
    this.tenants = tenants;
    this.partitioned = partitioned;
    this.unpartitioned = unpartitioned;
  }

  /** The quicker, the more they are in order already. */
  static UtilizationBucket of(DeviceId product, List<IndexedGpu> gpus) {
    IndexedGpu[] sorted = gpus.toArray(IndexedGpu[]::new);
    Arrays.sort(sorted, IndexedGpu.BUSIEST_FIRST);
    return new UtilizationBucket(product, sorted, null, null, null);
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

  boolean any(Predicate<GpuSnapshot> holds) {
    for (IndexedGpu indexed : gpus) {
      if (holds.test(indexed.gpu())) {
        return true;
      }
    }
    return false;
  }

  /**
   * GPUs whose tenants are all profiled services in partitions, the largest shares first, with what
   * their services tolerate side by side.
   */
  static final class Partitioned {

    private final IndexedGpu[] gpus;
    private final double[] sharePercent;
    private final double[] toleratedL2Percent;
    private final double[] toleratedWatts;
    private final int[] services;
    private final double[] l2Percent;
    private final double[] watts;
    private final @Nullable PartitionGroup ofOneDevice;

    private Partitioned(IndexedGpu[] gpus) {
      this.gpus = gpus;
      sharePercent = new double[gpus.length];
      toleratedL2Percent = new double[gpus.length];
      toleratedWatts = new double[gpus.length];
      services = new int[gpus.length];
      l2Percent = new double[gpus.length];
      watts = new double[gpus.length];
      for (int i = 0; i < gpus.length; i++) {
        PartitionGroup group = Objects.requireNonNull(gpus[i].neighbours().partitions());
        sharePercent[i] = group.sharePercent();
        toleratedL2Percent[i] = group.toleratedL2Percent();
        toleratedWatts[i] = group.toleratedWatts();
        services[i] = group.members().size();
        l2Percent[i] = group.l2Percent();
        watts[i] = group.watts();
      }
      ofOneDevice = ofOneDevice(gpus);
    }

    private static @Nullable PartitionGroup ofOneDevice(IndexedGpu[] gpus) {
      PartitionGroup first = null;
      for (IndexedGpu gpu : gpus) {
        PartitionGroup group = Objects.requireNonNull(gpu.neighbours().partitions());
        if (first == null) {
          first = group;
        } else if (!first.isOfDevice(group.members().getFirst().terms())) {
          return null;
        }
      }
      return first;
    }

    IndexedGpu get(int place) {
      return gpus[place];
    }

    int size() {
      return gpus.length;
    }

    /** A common group if all coefficients are of one device, else null. */
    @Nullable PartitionGroup ofOneDevice() {
      return ofOneDevice;
    }

    /** The first place from which on no more than so much is taken, percent. */
    int firstWithin(double percent) {
      int low = 0;
      int high = gpus.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (sharePercent[middle] <= percent) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }

    double sharePercent(int place) {
      return sharePercent[place];
    }

    int services(int place) {
      return services[place];
    }

    double l2Percent(int place) {
      return l2Percent[place];
    }

    double watts(int place) {
      return watts[place];
    }

    /** Whether the services of a GPU may tolerate a further one with these terms. */
    boolean mayTolerate(int place, PartitionTerms further) {
      return further.l2Percent() <= toleratedL2Percent[place] + Rounding.SLACK
          && further.watts() <= toleratedWatts[place] + Rounding.SLACK;
    }
  }

  /** Those whose tenants are all profiled services in partitions. */
  Partitioned partitioned() {
    Partitioned known = partitioned;
    if (known == null) {
      known =
          new Partitioned(
              Arrays.stream(gpus)
                  .filter(UtilizationBucket::isPartitioned)
                  .sorted(IndexedGpu.LARGEST_SHARES_FIRST)
                  .toArray(IndexedGpu[]::new));
      partitioned = known;
    }
    return known;
  }

  /** The places of all others. */
  BitSet unpartitioned() {
    BitSet known = unpartitioned;
    if (known == null) {
      known = new BitSet(gpus.length);
      for (int place = 0; place < gpus.length; place++) {
        known.set(place, !isPartitioned(gpus[place]));
      }
      unpartitioned = known;
    }
    return known;
  }

  /** The same after a GPU left a place and another took one. */
  private static BitSet moved(BitSet places, int from, int to, IndexedGpu after) {
    BitSet moved = (BitSet) places.clone();
    int step = Integer.signum(to - from);
    for (int place = from; place != to; place += step) {
      moved.set(place, places.get(place + step));
    }
    moved.set(to, !isPartitioned(after));
    return moved;
  }

  private static boolean isPartitioned(IndexedGpu gpu) {
    return gpu.sharePercent() > 0;
  }

  private static @Nullable Partitioned replaced(
      @Nullable Partitioned partitioned, IndexedGpu before, IndexedGpu after) {
    if (partitioned == null || (!isPartitioned(before) && !isPartitioned(after))) {
      return partitioned;
    }
    List<IndexedGpu> all = new ArrayList<>(Arrays.asList(partitioned.gpus));
    if (isPartitioned(before)) {
      all.remove(Collections.binarySearch(all, before, IndexedGpu.LARGEST_SHARES_FIRST));
    }
    if (isPartitioned(after)) {
      int place = Collections.binarySearch(all, after, IndexedGpu.LARGEST_SHARES_FIRST);
      all.add(-place - 1, after);
    }
    return new Partitioned(all.toArray(IndexedGpu[]::new));
  }

  /** The first place from which on utilization stays within the limit with so much added. */
  int firstWithin(double limitPercent, double addedPercent) {
    return first(gpu -> gpu.busyPercent() + addedPercent <= limitPercent);
  }

  /** The first place from which on utilization stays below this with so much added. */
  int firstBelow(double percent, double addedPercent) {
    return first(gpu -> gpu.busyPercent() + addedPercent < percent);
  }

  /** Binary search for the first place where a monotone predicate holds. */
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

  /** Copy with replaced GPUs. */
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

  /** The place of a GPU of this bucket. */
  int place(IndexedGpu gpu) {
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
    BitSet others = unpartitioned;
    return new UtilizationBucket(
        product,
        moved,
        columns == null ? null : columns.moved(from, to, after),
        replaced(partitioned, before, after),
        others == null ? null : moved(others, from, to, after));
  }
}
