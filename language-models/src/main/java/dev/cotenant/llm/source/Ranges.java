package dev.cotenant.llm.source;

import java.util.Arrays;
import java.util.Comparator;

/** Where the tensors of a file lie. */
final class Ranges {
  private long[] bounds = new long[64];
  private int count;

  /** Adds the range from {@code begin} to before {@code end}. */
  void add(long begin, long end) {
    if (2 * count == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * bounds.length);
    }
    bounds[2 * count] = begin;
    bounds[2 * count + 1] = end;
    count++;
  }

  /** Whether two of them share a byte. */
  boolean overlap() {
    Integer[] order = new Integer[count];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparingLong(i -> bounds[2 * i]));
    long end = 0;
    for (int index : order) {
      if (bounds[2 * index + 1] == bounds[2 * index]) {
        continue;
      }
      if (bounds[2 * index] < end) {
        return true;
      }
      end = bounds[2 * index + 1];
    }
    return false;
  }
}
