package dev.cotenant.simulator.event;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs timers in order of time; timers of one instant in order of scheduling. Time is in
 * nanoseconds from 0 and never runs back.
 *
 * <p>A binary heap that knows the place of each timer, so that a timer is moved in O(log n) and the
 * heap holds one entry per pending timer.
 */
public final class Timeline {
  private static final int INITIAL = 64;

  private @Nullable Timer[] heap = new Timer[INITIAL];
  private int size;
  private long now;
  private long scheduled;

  /** The current instant in nanoseconds. */
  public long now() {
    return now;
  }

  /** The number of pending timers. */
  public int size() {
    return size;
  }

  /**
   * The instant of the next timer in nanoseconds.
   *
   * @throws IllegalStateException without one
   */
  public long next() {
    if (size == 0) {
      throw new IllegalStateException("no timer is pending");
    }
    return at(0).at();
  }

  /**
   * Schedules a timer, or moves it if it is pending.
   *
   * @param at the instant in nanoseconds
   * @throws IllegalArgumentException when that is past
   */
  public void schedule(Timer timer, long at) {
    if (at < now) {
      throw new IllegalArgumentException("cannot schedule at " + at + " ns, it is " + now + " ns");
    }
    int slot = timer.isPending() ? timer.position() : append(timer);
    timer.set(at, scheduled++);
    siftDown(timer, siftUp(timer, slot));
  }

  /** Removes a timer if it is pending. */
  public void cancel(Timer timer) {
    if (!timer.isPending()) {
      return;
    }
    int slot = timer.position();
    Timer last = at(--size);
    heap[size] = null;
    timer.clear();
    if (last != timer) {
      siftDown(last, siftUp(last, slot));
    }
  }

  /** Whether a timer of the current instant is pending. */
  public boolean hasMoreNow() {
    return size > 0 && at(0).at() == now;
  }

  /** Runs the next timer; false when there is none. */
  public boolean step() {
    if (size == 0) {
      return false;
    }
    Timer next = at(0);
    cancel(next);
    now = next.at();
    next.run();
    return true;
  }

  private int append(Timer timer) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    heap[size] = timer;
    timer.moveTo(size);
    return size++;
  }

  private Timer at(int slot) {
    return Objects.requireNonNull(heap[slot]);
  }

  private void put(Timer timer, int slot) {
    heap[slot] = timer;
    timer.moveTo(slot);
  }

  private int siftUp(Timer timer, int from) {
    int slot = from;
    while (slot > 0 && timer.isBefore(at((slot - 1) / 2))) {
      put(at((slot - 1) / 2), slot);
      slot = (slot - 1) / 2;
    }
    put(timer, slot);
    return slot;
  }

  private void siftDown(Timer timer, int from) {
    int slot = from;
    while (2 * slot + 1 < size) {
      int child = 2 * slot + 1;
      if (child + 1 < size && at(child + 1).isBefore(at(child))) {
        child++;
      }
      if (!at(child).isBefore(timer)) {
        break;
      }
      put(at(child), slot);
      slot = child;
    }
    put(timer, slot);
  }
}
