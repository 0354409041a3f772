package dev.cotenant.lab.gpulets;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * What one model was measured to use of a whole GPU alone: L2 and memory bandwidth, which gpu-lets'
 * interference factor is made of [gpu-lets, section 4.4]. SM utilization does not enter it.
 *
 * <p>Straight between measured batches, level beyond them.
 */
final class MeasuredUsage implements IntFunction<Usage> {
  private final NavigableMap<Integer, Usage> byBatch = new TreeMap<>();

  /**
   * @param cells one or more batches of the model; of two at one batch the later counts
   */
  MeasuredUsage(List<UtilizationCell> cells) {
    if (cells.isEmpty()) {
      throw new IllegalArgumentException("cells must not be empty");
    }
    for (UtilizationCell cell : cells) {
      byBatch.put(
          cell.batch(), new Usage(cell.l2Percent() / 100.0, cell.bandwidthPercent() / 100.0));
    }
  }

  @Override
  public Usage apply(int batch) {
    Map.Entry<Integer, Usage> below = byBatch.floorEntry(batch);
    Map.Entry<Integer, Usage> above = byBatch.ceilingEntry(batch);
    if (below == null || above == null) {
      return (below == null ? byBatch.firstEntry() : byBatch.lastEntry()).getValue();
    }
    double span = above.getKey() - below.getKey();
    double part = span == 0 ? 0 : (batch - below.getKey()) / span;
    return new Usage(
        between(below.getValue().l2Fraction(), above.getValue().l2Fraction(), part),
        between(below.getValue().bandwidthFraction(), above.getValue().bandwidthFraction(), part));
  }

  private static double between(double low, double high, double part) {
    return low + part * (high - low);
  }
}
