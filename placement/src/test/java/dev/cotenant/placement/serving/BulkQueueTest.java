package dev.cotenant.placement.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.RequestQueue;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BulkQueueTest {
  private static final int REQUESTS = 400_000;

  /** What a simulation of 400,000 requests may differ by chance. */
  private static final double NOISE = 0.04;

  private static double simulated(BatchTimes times, double rate, long seed) {
    double[] arrivals = RequestQueue.arrivals(Arrivals.POISSON, rate, REQUESTS, seed);
    double[] latencies = RequestQueue.latenciesMillis(arrivals, times);
    Arrays.sort(latencies);
    return latencies[(int) Math.ceil(0.99 * REQUESTS) - 1];
  }

  /** a + b·k, the transfer of the input beside the batch before. */
  private static BatchTimes line(int batch, double fixed, double each, double transfer) {
    BatchTimes times = new BatchTimes(batch);
    for (int k = 1; k <= batch; k++) {
      times.set(k, fixed + (each + transfer) * k, fixed + each * k);
    }
    return times;
  }

  @Test
  void isCloseToTheSimulationAndNotBelow() {
    SplittableRandom random = new SplittableRandom(20_261_123);
    double sum = 0;
    for (int i = 0; i < 60; i++) {
      int batch = 1 + random.nextInt(32);
      double fixed = random.nextDouble(0.1, 10);
      double each = random.nextInt(3) == 0 ? 0 : fixed * random.nextDouble(0.02, 1);
      BatchTimes times = line(batch, fixed, each, each * random.nextDouble(0, 0.3));
      double capacity = 1000 * batch / times.busyMillis(batch);
      double rate = capacity * random.nextDouble(0.02, 0.95);
      double predicted = new BulkQueue(times, rate).p99Millis();
      double truth = simulated(times, rate, random.nextLong());
      String label = "batch %d, %.2f + %.2f ms, %.1f/s".formatted(batch, fixed, each, rate);
      assertThat(predicted / truth).as(label).isBetween(1 - NOISE, 1.2);
      sum += predicted / truth;
    }
    assertThat(sum / 60).isBetween(1.0, 1.08);
  }

  /** M/D/1: the share that waits is the load; of the others Crommelin's series. */
  @ParameterizedTest
  @CsvSource({"0.3, 2.89", "0.5, 4.33", "0.8, 11.14"})
  void agreesWithTheQueueOfOneServerAndConstantTimes(double load, double p99) {
    BatchTimes times = BulkQueue.constant(1, 1);
    assertThat(simulated(times, 1000 * load, 7)).isCloseTo(p99, within(0.05 * p99));
    assertThat(new BulkQueue(times, 1000 * load).p99Millis())
        .isBetween(p99 * (1 - NOISE), p99 * 1.1);
  }

  @Test
  void growsWithSlowdownRateAndTime() {
    BatchTimes times = line(8, 2, 0.4, 0.1);
    double before = 0;
    for (double slowdown = 1; slowdown < 3; slowdown += 0.1) {
      double p99 = new BulkQueue(BulkQueue.scaled(times, slowdown), 500).p99Millis();
      assertThat(p99).isGreaterThanOrEqualTo(before * slowdown / (slowdown - 0.1) * 0.99);
      before = p99;
    }
    assertThat(new BulkQueue(times, 800).p99Millis())
        .isGreaterThan(new BulkQueue(times, 500).p99Millis());
  }

  @Test
  void findsTheLargestFactor() {
    BatchTimes times = line(4, 3, 0.5, 0.1);
    double factor = BulkQueue.largestFactor(times, 200, 40);
    assertThat(factor).isGreaterThan(1);
    assertThat(new BulkQueue(BulkQueue.scaled(times, factor), 200).keeps(40)).isTrue();
    assertThat(new BulkQueue(BulkQueue.scaled(times, factor * 1.01), 200).keeps(40)).isFalse();
    assertThat(simulated(BulkQueue.scaled(times, factor), 200, 3)).isLessThan(40 * (1 + NOISE));
  }

  @Test
  void saysThatAnOverloadedServerKeepsNothing() {
    BatchTimes times = BulkQueue.constant(2, 10);
    BulkQueue overloaded = new BulkQueue(times, 200);
    assertThat(overloaded.p99Millis()).isInfinite();
    assertThat(overloaded.lateShare(1e6)).isEqualTo(1);
    assertThat(BulkQueue.largestFactor(times, 400, 1000)).isBetween(0.2, 0.5);
    assertThat(BulkQueue.largestFactor(times, 1e9, 1e-6)).isLessThan(1e-4);
  }

  @Test
  void takesVeryLargeBatchesAndRates() {
    assertThat(BulkQueue.constant(999_999_999, 5).largest()).isEqualTo(BulkQueue.MAX_BATCH);
    BatchTimes large = BulkQueue.constant(999_999_999, 5);
    assertThat(new BulkQueue(large, 40_000).p99Millis()).isBetween(9.0, 25.0);
    assertThat(new BulkQueue(BulkQueue.constant(1, 1e-9), 1e-6).p99Millis()).isLessThan(1e-8);
  }

  @Test
  void refusesWhatIsNoQueue() {
    assertThatThrownBy(() -> new BulkQueue(BulkQueue.constant(1, 1), 0))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("request rate of a queue must be above 0");
    assertThatThrownBy(() -> BulkQueue.largestFactor(BulkQueue.constant(1, 1), 1, Double.NaN))
        .hasMessageContaining("latency objective of a queue");
  }
}
