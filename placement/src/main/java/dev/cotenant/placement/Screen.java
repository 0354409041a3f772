package dev.cotenant.placement;

import dev.cotenant.domain.decision.SharingLimits;

/**
 * Goes through a shelf from the busiest that utilization allows towards the idle and stops where a
 * newcomer may fit, by figures that are kept with each GPU; only there the full check is worth its
 * time.
 */
final class Screen {
  private final Shelf shelf;
  private final SharingLimits limits;
  private final long neededBytes;
  private final SlowdownScreen slowdown;
  private final int first;

  /**
   * Before this place slowdown refuses everybody but, where these are excepted, pairs of graphs.
   */
  private final int open;

  Screen(Shelf shelf, SharingLimits limits, long neededBytes, SlowdownScreen slowdown) {
    this.shelf = shelf;
    this.limits = limits;
    this.neededBytes = neededBytes;
    this.slowdown = slowdown;
    double own = slowdown.ownPercent();
    this.first = shelf.firstWithin(limits.summedUtilization().percent(), own);
    this.open =
        Math.min(shelf.firstWithin(slowdown.refusedBeyondPercent(), own), shelf.firstIdle());
  }

  /**
   * The first place from {@code from} on and before {@code end}; any beyond where there is none.
   */
  int next(int from, int end) {
    int place = skip(Math.max(from, first));
    while (place < end && !mayFit(shelf.get(place))) {
      place = skip(place + 1);
    }
    return place;
  }

  private int skip(int place) {
    if (place >= open) {
      return place;
    }
    return slowdown.exceptsPairs() ? Math.min(open, shelf.nextWithOneGraph(place)) : open;
  }

  private boolean mayFit(IndexedGpu gpu) {
    long capacity = gpu.gpu().capacity().bytes();
    return gpu.neighbours().tenants() < limits.tenants()
        && gpu.hasRoomFor(neededBytes, ShareCheck.memoryLimitBytes(capacity, limits))
        && !slowdown.surelyRefuses(gpu);
  }
}
