package dev.cotenant.domain.colocation;

/**
 * One inference workload beside another on one GPU, each in its MPS partition.
 *
 * @param source the set and the line it comes from
 * @param own whose latency was measured
 * @param other its neighbour
 * @param soloMillis mean time of a batch alone in the same partition, positive
 * @param colocatedMillis mean time of a batch beside the neighbour, positive
 */
public record PairLatency(
    String source, Side own, Side other, double soloMillis, double colocatedMillis) {
  /**
   * One of the two.
   *
   * @param model the model's name
   * @param batch samples per request batch, at least 1
   * @param sharePercent MPS share, above 0 to 100
   */
  public record Side(String model, int batch, double sharePercent) implements Comparable<Side> {
    @Override
    public int compareTo(Side side) {
      int byModel = model.compareTo(side.model);
      int byBatch = Integer.compare(batch, side.batch);
      int byShare = Double.compare(sharePercent, side.sharePercent);
      return byModel != 0 ? byModel : byBatch != 0 ? byBatch : byShare;
    }
  }

  /** Both partitions, independent of the row's direction. */
  public String pair() {
    return own.compareTo(other) <= 0 ? own + "+" + other : other + "+" + own;
  }

  /** Both models, independent of the row's direction. */
  public String models() {
    return own.model().compareTo(other.model()) <= 0
        ? own.model() + "+" + other.model()
        : other.model() + "+" + own.model();
  }

  /** Colocated over solo time. */
  public double slowdown() {
    return colocatedMillis / soloMillis;
  }
}
