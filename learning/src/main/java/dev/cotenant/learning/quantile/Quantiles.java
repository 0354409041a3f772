package dev.cotenant.learning.quantile;

import java.util.Arrays;

/** Quantiles of non-empty samples, in the unit of the values. */
public final class Quantiles {
  private Quantiles() {}

  /**
   * The ⌈(n + 1) · coverage⌉-th smallest score, or the largest where there are too few: a bound
   * that the next score stays below with at least that probability when it is exchangeable with
   * these [split conformal prediction; Lei et al., "Distribution-Free Predictive Inference for
   * Regression", 2018].
   *
   * @param scores in any order; not changed
   */
  public static double conformal(double[] scores, double coverage) {
    double[] sorted = scores.clone();
    Arrays.sort(sorted);
    int rank = (int) Math.ceil((sorted.length + 1) * coverage);
    return sorted[Math.clamp(rank, 1, sorted.length) - 1];
  }

  /**
   * The middle value, or the mean of the two in the middle.
   *
   * @param values in any order; not changed
   */
  public static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * The smallest value at or below which {@code fraction} of the weight lies, in expected linear
   * time.
   *
   * @param values reordered
   * @param weights positive; reordered with the values
   */
  public static double weighted(double[] values, double[] weights, double fraction) {
    double wanted = fraction * sum(weights, 0, weights.length - 1);
    int from = 0;
    int to = values.length - 1;
    while (from < to) {
      double pivot = values[(from + to) >>> 1];
      int low = from;
      int high = to;
      while (low <= high) {
        while (values[low] < pivot) {
          low++;
        }
        while (values[high] > pivot) {
          high--;
        }
        if (low <= high) {
          swap(values, low, high);
          swap(weights, low++, high--);
        }
      }
      // from..high are at most the pivot, low..to at least, what is between equals it
      double below = sum(weights, from, high);
      double between = sum(weights, high + 1, low - 1);
      if (wanted <= below) {
        to = high;
      } else if (wanted <= below + between) {
        return pivot;
      } else {
        wanted -= below + between;
        from = low;
      }
    }
    return values[Math.min(from, values.length - 1)];
  }

  private static double sum(double[] weights, int from, int to) {
    double sum = 0;
    for (int i = from; i <= to; i++) {
      sum += weights[i];
    }
    return sum;
  }

  private static void swap(double[] array, int i, int j) {
    double other = array[i];
    array[i] = array[j];
    array[j] = other;
  }
}
