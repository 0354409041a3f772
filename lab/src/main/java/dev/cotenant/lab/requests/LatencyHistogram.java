package dev.cotenant.lab.requests;

import java.util.Arrays;

/** Counts of latencies in buckets of at most 1/128 of their value. */
final class LatencyHistogram {
  private static final int BITS = 7;
  private static final int STEPS = 1 << BITS;

  private final long[] counts = new long[(Long.SIZE - BITS) * STEPS];
  private long total;

  void add(long nanos) {
    counts[bucket(nanos)]++;
    total++;
  }

  void clear() {
    if (total > 0) {
      Arrays.fill(counts, 0);
      total = 0;
    }
  }

  /** The upper end of the bucket of a quantile, nanoseconds; 0 when empty. */
  long quantile(double share) {
    long rank = (long) Math.ceil(share * total);
    long seen = 0;
    for (int i = 0; i < counts.length && rank > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return upper(i);
      }
    }
    return 0;
  }

  private static int bucket(long nanos) {
    int shift = Math.max(0, Long.SIZE - BITS - 1 - Long.numberOfLeadingZeros(nanos | 1));
    return shift * STEPS + (int) (nanos >>> shift);
  }

  private static long upper(int bucket) {
    int shift = Math.max(0, bucket / STEPS - 1);
    return ((bucket - (long) shift * STEPS + 1) << shift) - 1;
  }
}
