package dev.cotenant.simulator.replay.source;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;

/** A stretch of samples of one quantity of a GPU and pod without a long gap; times in ms. */
final class Segment {
  final long from;
  long to;
  long count;
  double sum;
  double most;
  double least = Double.MAX_VALUE;

  private Segment(long from) {
    this.from = from;
    to = from;
  }

  private void add(long at, double value) {
    to = at;
    count++;
    sum += value;
    most = Math.max(most, value);
    least = Math.min(least, value);
  }

  /** Whether they have more than {@code tolerance} in common. */
  boolean overlaps(long otherFrom, long otherTo, long tolerance) {
    return Math.min(to, otherTo) - Math.max(from, otherFrom) > tolerance;
  }

  /** Whether most of it lies between two instants. */
  boolean isWithin(long begin, long end) {
    long middle = from + (to - from) / 2;
    return middle >= begin && middle <= end;
  }

  /** Segments in the order of time. */
  static final class Track {
    private final List<Segment> segments = new ArrayList<>();
    private final long longestGap;
    private final NavigableSet<Long> changes;
    private long gaps;

    /**
     * @param longestGap between two samples of one segment
     * @param changes instants that part segments
     */
    Track(long longestGap, NavigableSet<Long> changes) {
      this.longestGap = longestGap;
      this.changes = changes;
    }

    /** Takes a sample; false where it is not after the newest. */
    boolean add(long at, double value) {
      Segment last = segments.isEmpty() ? null : segments.getLast();
      if (last != null && at <= last.to) {
        return false;
      }
      boolean isParted = last != null && isParted(last.to, at);
      boolean isGap = last != null && !isParted && at - last.to > longestGap;
      gaps += isGap ? 1 : 0;
      if (last == null || isParted || isGap) {
        last = new Segment(at);
        segments.add(last);
      }
      last.add(at, value);
      return true;
    }

    private boolean isParted(long from, long to) {
      Long change = changes.ceiling(from);
      return change != null && change < to;
    }

    /** Long gaps between samples, of one pod as far as is known. */
    long gaps() {
      return gaps;
    }

    List<Segment> segments() {
      return segments;
    }
  }
}
