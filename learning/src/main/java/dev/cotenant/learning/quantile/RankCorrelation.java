package dev.cotenant.learning.quantile;

import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * Spearman's rank correlation, −1 to 1: Pearson's correlation of the ranks, where equal values have
 * the mean of their ranks. O(n log n).
 */
public final class RankCorrelation {
  private RankCorrelation() {}

  /**
   * The correlation of pairs of values.
   *
   * @param first finite values
   * @param second as many finite values
   * @return empty with fewer than two pairs, or where the values of one side are all equal
   */
  public static OptionalDouble of(double[] first, double[] second) {
    if (first.length != second.length) {
      throw new IllegalArgumentException(
          "as many values on both sides, are " + first.length + " and " + second.length);
    }
    double[] one = ranks(first);
    double[] two = ranks(second);
    double mean = (first.length - 1) / 2.0;
    double products = 0;
    double squaresOfOne = 0;
    double squaresOfTwo = 0;
    for (int i = 0; i < one.length; i++) {
      products += (one[i] - mean) * (two[i] - mean);
      squaresOfOne += (one[i] - mean) * (one[i] - mean);
      squaresOfTwo += (two[i] - mean) * (two[i] - mean);
    }
    return squaresOfOne == 0 || squaresOfTwo == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(products / Math.sqrt(squaresOfOne * squaresOfTwo));
  }

  private static double[] ranks(double[] values) {
    int[] order =
        IntStream.range(0, values.length)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> values[i]))
            .mapToInt(Integer::intValue)
            .toArray();
    double[] ranks = new double[values.length];
    int from = 0;
    while (from < order.length) {
      int to = from;
      while (to < order.length && values[order[to]] == values[order[from]]) {
        to++;
      }
      double rank = (from + to - 1) / 2.0;
      Arrays.stream(order, from, to).forEach(i -> ranks[i] = rank);
      from = to;
    }
    return ranks;
  }
}
