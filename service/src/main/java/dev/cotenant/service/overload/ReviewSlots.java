package dev.cotenant.service.overload;

import java.util.concurrent.atomic.AtomicInteger;

/** Reviews in progress, within their bound. Safe for use by many threads. */
public final class ReviewSlots {
  private final int limit;
  private final AtomicInteger taken = new AtomicInteger();

  ReviewSlots(int limit) {
    this.limit = limit;
  }

  int limit() {
    return limit;
  }

  public boolean isFull() {
    return taken.get() >= limit;
  }

  /** Whether a newcomer would wait or be refused: at least half of the slots are taken. */
  boolean isBusy() {
    return taken.get() >= Math.ceilDiv(limit, 2);
  }

  /** Takes a slot, which {@link #release} returns; false where none is free. */
  public boolean take() {
    boolean free = taken.incrementAndGet() <= limit;
    if (!free) {
      release();
    }
    return free;
  }

  public void release() {
    taken.decrementAndGet();
  }
}
