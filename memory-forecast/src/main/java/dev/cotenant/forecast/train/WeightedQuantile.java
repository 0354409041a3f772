package dev.cotenant.forecast.train;

/** Quantile of weighted values by partitioning, in expected linear time; it reorders its arrays. */
final class WeightedQuantile {
  private WeightedQuantile() {}

  /** The smallest value at or below which {@code fraction} of the weight lies. */
  static double of(double[] values, double[] weights, double fraction) {
    double total = 0;
    for (double weight : weights) {
      total += weight;
    }
    double wanted = fraction * total;
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
    double kept = array[i];
    array[i] = array[j];
    array[j] = kept;
  }
}
