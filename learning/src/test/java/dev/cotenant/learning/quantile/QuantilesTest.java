package dev.cotenant.learning.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantilesTest {
  /** Of 1 to n: ⌈(n + 1) · coverage⌉, at most n. */
  @ParameterizedTest
  @CsvSource({"9, 0.9, 9", "19, 0.9, 18", "99, 0.9, 90", "5, 0.9, 5", "1, 0.5, 1", "4, 0, 1"})
  void conformalRankIsOneBeyondTheQuantile(int count, double coverage, double expected) {
    double[] descending = IntStream.range(0, count).mapToDouble(i -> (double) count - i).toArray();
    assertThat(Quantiles.conformal(descending, coverage)).isEqualTo(expected);
    assertThat(descending[0]).as("left as it was").isEqualTo(count);
  }

  @Test
  void aConformalBoundHoldsForTheNextValueAsOftenAsItSays() {
    Random random = new Random(1);
    int held = 0;
    int trials = 20_000;
    for (int trial = 0; trial < trials; trial++) {
      double[] scores = random.doubles(30).toArray();
      held += random.nextDouble() <= Quantiles.conformal(scores, 0.9) ? 1 : 0;
    }
    // ⌈31 · 0.9⌉ / 31
    assertThat((double) held / trials).isCloseTo(28 / 31.0, within(0.01));
  }

  @Test
  void aWeightedQuantileIsTheOneThatSortingFinds() {
    Random random = new Random(2);
    for (int trial = 0; trial < 500; trial++) {
      int count = 1 + random.nextInt(40);
      double[] values = random.ints(count, 0, 10).asDoubleStream().toArray();
      double[] weights = random.ints(count, 1, 8).asDoubleStream().toArray();
      double fraction = random.nextInt(1, 100) / 100.0;
      double expected = bySorting(values, weights, fraction);
      assertThat(Quantiles.weighted(values, weights, fraction)).isEqualTo(expected);
    }
  }

  private static double bySorting(double[] values, double[] weights, double fraction) {
    int[] order =
        IntStream.range(0, values.length)
            .boxed()
            .sorted((a, b) -> Double.compare(values[a], values[b]))
            .mapToInt(Integer::intValue)
            .toArray();
    double total = 0;
    for (double weight : weights) {
      total += weight;
    }
    double sum = 0;
    for (int i : order) {
      sum += weights[i];
      if (sum >= fraction * total) {
        return values[i];
      }
    }
    return values[order[order.length - 1]];
  }

  /** Of 2 4 8: rank 0.25 · 2 = 0.5, half way between 2 and 4. */
  @Test
  void interpolatesBetweenOrderStatistics() {
    SortedSample sample = new SortedSample(new double[] {99, 8, 2, 4}, 1);
    assertThat(sample.at(0)).isEqualTo(2);
    assertThat(sample.at(0.25)).isEqualTo(3);
    assertThat(sample.at(1)).isEqualTo(8);
    assertThat(new SortedSample(new double[] {7}).at(0.3)).isEqualTo(7);
  }
}
