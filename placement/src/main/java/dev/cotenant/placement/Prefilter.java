package dev.cotenant.placement;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
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
  private final Newcomer newcomer;
  private final double sharePercent;
  private final double ownPercent;
  private final int first;

  Prefilter(
      UtilizationBucket bucket,
      Newcomer newcomer,
      SlowdownPrefilter slowdown,
      @Nullable RiskPrefilter risk) {
    this.bucket = bucket;
    this.newcomer = newcomer;
    this.limits = newcomer.limits();
    this.sharePercent = PartitionCheck.sharePercent(newcomer);
    this.trust = newcomer.trust();
    this.alone = newcomer.isProfiled();
    this.neededBytes = newcomer.prediction().peakMemory().upper().bytes();
    this.slowdown = slowdown;
    this.risk = risk;
    this.ownPercent = slowdown.ownPercent();
    this.first = Double.isNaN(sharePercent) ? first() : 0;
  }

  /**
   * Before this place utilization or slowdown refuses every GPU. A profiled service in a partition
   * looks at all: beside others its share counts.
   */
  private int first() {
    int bySlowdown =
        Math.min(
            bucket.firstWithin(slowdown.refusedBeyondPercent(), ownPercent), bucket.firstIdle());
    return Math.max(
        bySlowdown, bucket.firstWithin(limits.summedUtilization().percent(), ownPercent));
  }

  /**
   * The first place from {@code from} on and before {@code end}; any beyond where there is none.
   */
  int next(int from, int end) {
    int place = Math.max(from, first);
    while (place < end && !mayFit(place)) {
      place++;
    }
    return place;
  }

  private boolean mayFit(int place) {
    if (risk != null && risk.surelyRefuses(place)) {
      return false;
    }
    IndexedGpu gpu = bucket.get(place);
    long capacity = gpu.gpu().capacity().bytes();
    return gpu.tenants() < (alone ? 1 : limits.tenants())
        && gpu.fits(neededBytes, ShareCheck.memoryLimitBytes(capacity, limits))
        && gpu.neighbours().areWithin(trust)
        && (isPartitioned(gpu) || !isRefusedInTime(gpu));
  }

  /** Whether shares count in place of utilizations there. */
  private boolean isPartitioned(IndexedGpu gpu) {
    return !Double.isNaN(sharePercent)
        && PartitionCheck.fits(gpu.neighbours().sharePercent() + sharePercent, newcomer);
  }

  private boolean isRefusedInTime(IndexedGpu gpu) {
    return gpu.busyPercent() + ownPercent > limits.summedUtilization().percent()
        || slowdown.surelyRefuses(gpu);
  }
}
