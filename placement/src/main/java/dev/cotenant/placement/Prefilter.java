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
  private final int first;

  /**
   * Before this place slowdown refuses every GPU, save for pairs of graphs where these are
   * excepted.
   */
  private final int open;

  Prefilter(
      UtilizationBucket bucket,
      Newcomer newcomer,
      SlowdownPrefilter slowdown,
      @Nullable RiskPrefilter risk) {
    this.bucket = bucket;
    this.limits = newcomer.limits();
    this.trust = newcomer.trust();
    this.alone = newcomer.isProfiled();
    this.neededBytes = newcomer.prediction().peakMemory().upper().bytes();
    this.slowdown = slowdown;
    this.risk = risk;
    double own = slowdown.ownPercent();
    this.first = bucket.firstWithin(limits.summedUtilization().percent(), own);
    this.open =
        Math.min(bucket.firstWithin(slowdown.refusedBeyondPercent(), own), bucket.firstIdle());
  }

  /**
   * The first place from {@code from} on and before {@code end}; any beyond where there is none.
   */
  int next(int from, int end) {
    int place = skip(Math.max(from, first));
    while (place < end && !mayFit(place)) {
      place = skip(place + 1);
    }
    return place;
  }

  private int skip(int place) {
    if (place >= open) {
      return place;
    }
    return slowdown.exceptsPairs() ? Math.min(open, bucket.nextWithOneGraph(place)) : open;
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
        && !slowdown.surelyRefuses(gpu);
  }
}
