package dev.cotenant.forecast.history;

import java.util.Arrays;

/** Quantiles of a part of an array, linearly interpolated between order statistics. */
final class Quantiles {
  private final double[] sorted;

  /** Of {@code values} from {@code from} to its end, at least one value. */
  Quantiles(double[] values, int from) {
    sorted = Arrays.copyOfRange(values, from, values.length);
    Arrays.sort(sorted);
  }

  /**
   * @param fraction 0 is the smallest value, 1 the largest
   */
  double at(double fraction) {
    double rank = fraction * (sorted.length - 1);
    int below = (int) rank;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (rank - below) * (sorted[above] - sorted[below]);
  }
}
