package dev.cotenant.lab.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.placement.fleet.Arrivals;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RateCurveTest {
  private static long arrivals(RateCurve curve, Arrivals kind, double fromSecond, double toSecond) {
    ArrivalProcess process = new ArrivalProcess(curve, kind, new SplittableRandom(1));
    long count = 0;
    for (long at = process.next(); at < toSecond * 1e9; at = process.next()) {
      count += at >= fromSecond * 1e9 ? 1 : 0;
    }
    return count;
  }

  /** From 0 to 200/s within 10 s: 1,000 requests, a quarter of them in the first half. */
  @Test
  void arrivalsFollowARamp() {
    RateCurve ramp = RateCurve.linear(new double[] {0, 10}, new double[] {0, 200});

    assertThat(arrivals(ramp, Arrivals.CONSTANT, 0, 10)).isCloseTo(1_000, within(1L));
    assertThat(arrivals(ramp, Arrivals.CONSTANT, 0, 5)).isCloseTo(250, within(1L));
    assertThat(arrivals(ramp, Arrivals.CONSTANT, 10, 20)).isCloseTo(2_000, within(1L));
  }

  @Test
  void arrivalsFollowRecordedRates() {
    RateCurve recorded = RateCurve.recorded(10, new double[] {100, 0, 300});

    assertThat(arrivals(recorded, Arrivals.POISSON, 0, 10)).isCloseTo(1_000, within(100L));
    assertThat(arrivals(recorded, Arrivals.POISSON, 10, 20)).isZero();
    assertThat(arrivals(recorded, Arrivals.POISSON, 20, 40)).isCloseTo(6_000, within(240L));
  }

  @Test
  void endsWhereTheRateStaysZero() {
    RateCurve ends = RateCurve.recorded(10, new double[] {10, 0});
    ArrivalProcess process = new ArrivalProcess(ends, Arrivals.CONSTANT, new SplittableRandom(1));

    long last = 0;
    long count = 0;
    for (long at = process.next(); at < Long.MAX_VALUE; at = process.next()) {
      last = at;
      count++;
    }
    assertThat(count).isBetween(99L, 100L);
    assertThat(last).isLessThanOrEqualTo(10_000_000_000L);
  }

  @Test
  void refusesRatesThatAreNone() {
    assertThatThrownBy(() -> RateCurve.constant(-1)).hasMessageContaining("at least 0");
    assertThatThrownBy(() -> RateCurve.constant(Double.NaN)).hasMessageContaining("at least 0");
    assertThatThrownBy(() -> RateCurve.linear(new double[] {0, 2, 1}, new double[3]))
        .hasMessageContaining("must not decrease");
  }

  @Test
  void quantilesAreWithinOnePercent() {
    LatencyHistogram histogram = new LatencyHistogram();
    for (long nanos = 1; nanos <= 100_000; nanos++) {
      histogram.add(nanos * 1_000);
    }

    assertThat((double) histogram.quantile(0.99)).isBetween(99e6, 100e6);
    assertThat((double) histogram.quantile(0.5)).isBetween(50e6, 50.5e6);
    assertThat(new LatencyHistogram().quantile(0.99)).isZero();
  }
}
