package dev.cotenant.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SampleStatisticsTest {
  private static final double[] EIGHT = {2, 4, 4, 4, 5, 5, 7, 9};
  private static final double EXACT = 1e-12;

  @Test
  void computesTheWorkedExample() {
    // mean = 40 / 8 = 5; deviations -3 -1 -1 -1 0 0 2 4, squares 9+1+1+1+0+0+4+16 = 32
    assertThat(SampleStatistics.mean(EIGHT)).isEqualTo(5);
    // population: sqrt(32 / 8) = 2; the sample one would be sqrt(32 / 7) = 2.138
    assertThat(SampleStatistics.standardDeviation(EIGHT)).isCloseTo(2, within(EXACT));
    assertThat(SampleStatistics.coefficientOfVariation(EIGHT).orElseThrow())
        .isCloseTo(0.4, within(EXACT));
    // rank 0.8 * 7 = 5.6: between sorted[5] = 5 and sorted[6] = 7, 5 + 0.6 * 2 = 6.2
    assertThat(SampleStatistics.percentile(EIGHT, 0.8)).isCloseTo(6.2, within(EXACT));
  }

  @Test
  void computesTheWorkedAutocorrelations() {
    // lag 1: 3 + 1 + 1 + 0 + 0 + 0 + 8 = 13 over 32; lag 2: 3 + 1 + 0 + 0 + 0 + 0 = 4 over 32
    assertThat(autocorrelation(1, EIGHT)).isCloseTo(13.0 / 32, within(EXACT));
    assertThat(autocorrelation(2, EIGHT)).isCloseTo(4.0 / 32, within(EXACT));
    assertThat(autocorrelation(7, EIGHT)).isCloseTo(-3 * 4 / 32.0, within(EXACT));
    assertThat(autocorrelation(8, EIGHT)).isZero();
  }

  @Test
  void dropsTheProductsAcrossAGap() {
    // cut after the second value: the product (-1)(-1) = 1 of values 2 and 3 is gone, 12 over 32
    double[] before = {2, 4};
    double[] after = {4, 4, 5, 5, 7, 9};
    assertThat(autocorrelation(1, before, after)).isCloseTo(12.0 / 32, within(EXACT));
  }

  @Test
  void hasAnAnswerForEveryEdge() {
    assertThat(SampleStatistics.percentile(new double[] {7}, 0.8)).isEqualTo(7);
    assertThat(SampleStatistics.percentile(EIGHT, 0)).isEqualTo(2);
    assertThat(SampleStatistics.percentile(EIGHT, 1)).isEqualTo(9);
    assertThat(SampleStatistics.percentile(new double[] {9, 1}, 0.5)).isEqualTo(5);
    assertThat(SampleStatistics.standardDeviation(new double[] {7})).isZero();
    assertThat(SampleStatistics.coefficientOfVariation(new double[] {0, 0})).isEmpty();
    assertThat(SampleStatistics.coefficientOfVariation(new double[] {3, 3, 3})).hasValue(0);
    assertThat(SampleStatistics.autocorrelation(List.of(new double[] {3, 3, 3}), 1)).isEmpty();
  }

  @Test
  void findsNoVariationInAConstantOfAnySize() {
    // 0.1 and 1e17 / 3 are not exact in binary: a plain sum would leave a rest
    for (double level : new double[] {0.1, 1e17 / 3, 25_769_803_777.0}) {
      double[] constant = new double[1001];
      Arrays.fill(constant, level);
      assertThat(SampleStatistics.standardDeviation(constant)).isZero();
      assertThat(SampleStatistics.mean(constant)).isEqualTo(level);
    }
  }

  @Test
  void refusesWhatHasNoMeaning() {
    assertThatIllegalArgumentException().isThrownBy(() -> SampleStatistics.mean(new double[0]));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SampleStatistics.percentile(new double[0], 0.5));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SampleStatistics.percentile(EIGHT, Double.NaN));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SampleStatistics.autocorrelation(List.of(EIGHT), 0));
  }

  @Test
  void followsShiftAndScale() {
    Random random = new Random(5);
    for (int round = 0; round < 500; round++) {
      double[] values = random.doubles(2 + random.nextInt(30), 1, 100).toArray();
      double scale = 0.1 + random.nextDouble(10);
      double shift = random.nextDouble(1000);
      double[] moved = Arrays.stream(values).map(value -> scale * value + shift).toArray();

      assertThat(SampleStatistics.mean(moved))
          .isCloseTo(scale * SampleStatistics.mean(values) + shift, within(1e-8));
      assertThat(SampleStatistics.standardDeviation(moved))
          .isCloseTo(scale * SampleStatistics.standardDeviation(values), within(1e-8));
      assertThat(SampleStatistics.percentile(moved, 0.8))
          .isCloseTo(scale * SampleStatistics.percentile(values, 0.8) + shift, within(1e-8));
      assertThat(autocorrelation(1, moved)).isCloseTo(autocorrelation(1, values), within(1e-8));
    }
  }

  @Test
  void staysWithinItsRanges() {
    Random random = new Random(6);
    for (int round = 0; round < 500; round++) {
      double[] values = random.doubles(2 + random.nextInt(30), 0, 100).toArray();
      double percentile = SampleStatistics.percentile(values, 0.8);
      assertThat(percentile)
          .isBetween(
              Arrays.stream(values).min().orElseThrow(), Arrays.stream(values).max().orElseThrow());
      // with n values at most a fifth of the steps between them lies above the percentile
      assertThat(Arrays.stream(values).filter(value -> value > percentile).count())
          .isLessThanOrEqualTo((long) Math.ceil(0.2 * (values.length - 1)));
      int order = 1 + random.nextInt(values.length);
      assertThat(autocorrelation(order, values)).isBetween(-1.0, 1.0);
    }
  }

  @Test
  void doesNotCareForOrderExceptInTime() {
    double[] backwards =
        IntStream.range(0, EIGHT.length).mapToDouble(i -> EIGHT[EIGHT.length - 1 - i]).toArray();
    assertThat(SampleStatistics.percentile(backwards, 0.8))
        .isEqualTo(SampleStatistics.percentile(EIGHT, 0.8));
    assertThat(autocorrelation(1, backwards)).isCloseTo(autocorrelation(1, EIGHT), within(EXACT));
  }

  private static double autocorrelation(int order, double[]... runs) {
    return SampleStatistics.autocorrelation(List.of(runs), order).orElseThrow();
  }
}
