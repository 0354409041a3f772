package dev.cotenant.learning.quantile;

import java.util.Arrays;

/** Values for several quantiles, linearly interpolated between order statistics. */
public final class SortedSample {
  private final double[] sorted;

  /** Of at least one value; not changed. */
  public SortedSample(double[] values) {
    this(values, 0);
  }

  /** Of {@code values} from {@code from} to its end, at least one value. */
  public SortedSample(double[] values, int from) {
    sorted = Arrays.copyOfRange(values, from, values.length);
    Arrays.sort(sorted);
  }

  /**
   * The value at rank {@code fraction · (n − 1)}.
   *
   * @param fraction 0 is the smallest value, 1 the largest
   */
  public double at(double fraction) {
    double rank = fraction * (sorted.length - 1);
    int below = (int) rank;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (rank - below) * (sorted[above] - sorted[below]);
  }
}
