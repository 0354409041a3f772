package dev.cotenant.placement.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A service's GPU memory as a function of its batch, m(b) [InSS, algorithm 1]: linear between
 * measured or predicted batches, constant below the first and beyond the last.
 *
 * @param points memory by batch (samples), at least one; a larger batch never holds less
 */
public record MemoryByBatch(NavigableMap<Integer, MemorySize> points) {
  /**
   * @throws InputException ({@code memory-by-batch-invalid}) where there is no point, a batch is
   *     below 1, or a larger batch holds less
   */
  public MemoryByBatch {
    points = Collections.unmodifiableNavigableMap(new TreeMap<>(points));
    if (points.isEmpty()) {
      throw invalid("needs at least one batch");
    }
    if (points.firstKey() < 1) {
      throw invalid("has batch " + points.firstKey() + ", batches are at least 1");
    }
    MemorySize before = MemorySize.ZERO;
    for (Map.Entry<Integer, MemorySize> point : points.entrySet()) {
      if (!before.isAtMost(point.getValue())) {
        throw invalid(
            "has "
                + point.getValue()
                + " at batch "
                + point.getKey()
                + ", less than the batch"
                + " before");
      }
      before = point.getValue();
    }
  }

  /**
   * Of predictions, each an upper bound of its own: where one is below that of a smaller batch, the
   * latter counts.
   */
  public static MemoryByBatch rising(SortedMap<Integer, MemorySize> bounds) {
    NavigableMap<Integer, MemorySize> rising = new TreeMap<>();
    MemorySize most = MemorySize.ZERO;
    for (Map.Entry<Integer, MemorySize> bound : bounds.entrySet()) {
      most = most.max(bound.getValue());
      rising.put(bound.getKey(), most);
    }
    return new MemoryByBatch(rising);
  }

  /** Memory at a batch, rounded up to a byte. */
  public MemorySize at(int batch) {
    Map.Entry<Integer, MemorySize> last = points.floorEntry(batch);
    Map.Entry<Integer, MemorySize> next = points.ceilingEntry(batch);
    if (last == null) {
      return points.firstEntry().getValue();
    }
    if (next == null || next.getKey().equals(last.getKey())) {
      return last.getValue();
    }
    double part = (batch - last.getKey()) / (double) (next.getKey() - last.getKey());
    MemorySize more = next.getValue().minusOrZero(last.getValue());
    return last.getValue().plus(more.times(part)).min(next.getValue());
  }

  /** At the largest batch. */
  MemorySize most() {
    return points.lastEntry().getValue();
  }

  private static InputException invalid(String problem) {
    return InputException.invalidArgument(
        "memory-by-batch-invalid", "Memory by batch " + problem + ".");
  }
}
