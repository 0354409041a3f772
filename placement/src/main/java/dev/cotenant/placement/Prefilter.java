package dev.cotenant.placement;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.interference.partition.PartitionGroup;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Scans a bucket from the busiest that utilization allows towards the idle and stops where a
 * newcomer may fit, by figures stored with each GPU; only there the full check is worth its time.
 */
final class Prefilter {
  private final UtilizationBucket bucket;
  private final SharingLimits limits;
  private final TrustDomain trust;
  private final boolean alone;
  private final long neededBytes;
  private final SlowdownPrefilter slowdown;
  private final @Nullable RiskPrefilter risk;
  private final PartitionCheck.@Nullable Shares shares;
  private final double leastSharePercent;
  private final double ownPercent;
  private final int first;

  /** Places where utilizations decide; null where each GPU has to be looked at. */
  private final @Nullable BitSet inTime;

  Prefilter(
      UtilizationBucket bucket,
      Newcomer newcomer,
      SlowdownPrefilter slowdown,
      @Nullable RiskPrefilter risk) {
    this.bucket = bucket;
    this.limits = newcomer.limits();
    this.shares = PartitionCheck.Shares.of(newcomer).orElse(null);
    this.trust = newcomer.trust();
    this.alone = newcomer.isProfiled();
    this.neededBytes = newcomer.prediction().peakMemory().upper().bytes();
    this.slowdown = slowdown;
    this.risk = risk;
    this.leastSharePercent = PartitionCheck.leastSharePercent(newcomer);
    this.ownPercent = slowdown.ownPercent();
    this.first = first();
    this.inTime =
        shares != null && countsByShares(bucket.partitioned().ofOneDevice())
            ? bucket.unpartitioned()
            : null;
  }

  /** Before this place utilization or slowdown refuses every GPU. */
  private int first() {
    int bySlowdown =
        Math.min(
            bucket.firstWithin(slowdown.refusedBeyondPercent(), ownPercent), bucket.firstIdle());
    return Math.max(
        bySlowdown, bucket.firstWithin(limits.summedUtilization().percent(), ownPercent));
  }

  /** The first place in [{@code from}, {@code end}); {@code end} or more if none. */
  int next(int from, int end) {
    int place = nextInTime(Math.max(from, first));
    while (place < end && !mayFit(place)) {
      place = nextInTime(place + 1);
    }
    return place;
  }

  private int nextInTime(int from) {
    int place = inTime == null ? from : inTime.nextSetBit(from);
    return place < 0 ? bucket.size() : place;
  }

  private boolean mayFit(int place) {
    if (risk != null && risk.surelyRefuses(place)) {
      return false;
    }
    IndexedGpu gpu = bucket.get(place);
    return (Double.isNaN(leastSharePercent) || mayFitInTime(gpu.neighbours()))
        && !isRefusedInTime(gpu)
        && hasRoom(gpu);
  }

  private boolean hasRoom(IndexedGpu gpu) {
    return gpu.tenants() < (alone ? 1 : limits.tenants())
        && gpu.fits(neededBytes, ShareCheck.memoryLimitBytes(gpu.capacityBytes(), limits))
        && gpu.neighbours().areWithin(trust);
  }

  /** Whether utilizations decide there, and shares do not exceed the GPU. */
  private boolean mayFitInTime(Neighbours neighbours) {
    double all = neighbours.sharePercent() + leastSharePercent;
    return !countsByShares(neighbours.partitions())
        && (Double.isNaN(all) || PartitionCheck.isWithin(all, limits));
  }

  /** Whether shares count in place of utilizations beside these. */
  private boolean countsByShares(@Nullable PartitionGroup group) {
    return shares != null && group != null && shares.isComparable(group);
  }

  /** Whether it is a profiled service, whose shares count beside others. */
  boolean countsShares() {
    return shares != null;
  }

  /**
   * The first place from {@code from} on among partitioned GPUs where the shares of a profiled
   * service may fit; their number if none.
   */
  int nextPartitioned(int from) {
    PartitionCheck.Shares own = Objects.requireNonNull(shares, "no profiled service");
    UtilizationBucket.Partitioned gpus = bucket.partitioned();
    int place = own.next(gpus, from);
    while (place < gpus.size() && !mayFit(gpus.get(place))) {
      place = own.next(gpus, place + 1);
    }
    return place;
  }

  private boolean mayFit(IndexedGpu gpu) {
    return hasRoom(gpu) && (risk == null || !risk.surelyRefuses(bucket.place(gpu)));
  }

  private boolean isRefusedInTime(IndexedGpu gpu) {
    return gpu.busyPercent() + ownPercent > limits.summedUtilization().percent()
        || slowdown.surelyRefuses(gpu);
  }
}
