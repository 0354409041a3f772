package dev.cotenant.llm.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.serving.KvDemand.Sample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KvDemandTest {
  private static final double HOUR = 3600;

  private static List<Sample> hours(int count, long seed) {
    Random random = new Random(seed);
    List<Sample> samples = new ArrayList<>();
    for (int hour = 0; hour < count; hour++) {
      double level = 0.2 + 0.3 * random.nextDouble();
      for (int minute = 0; minute < 60; minute++) {
        samples.add(new Sample(hour * HOUR + minute * 60, level * random.nextDouble(), 1000, 0, 0));
      }
    }
    return samples;
  }

  @Test
  void theStatedProbabilityHoldsWalkingForward() {
    KvDemand.Pool pool = KvDemand.of(hours(400, 3), HOUR).pool(0.9);
    assertThat(pool.probability()).isBetween(0.9, 0.91);
    assertThat(pool.tested()).isEqualTo(390);
    assertThat(pool.held()).isBetween(0.85, 0.96);
    assertThat(pool.tokens()).isBetween(400.0, 500.0);
  }

  @Test
  void fewWindowsSupportNoHighLevel() {
    KvDemand demand = KvDemand.of(hours(12, 5), HOUR);
    KvDemand.Pool pool = demand.pool(0.99);
    assertThat(pool.probability()).isCloseTo(12.0 / 13, within(1e-12));
    assertThat(pool.tokens()).isEqualTo(Collections.max(demand.peaks()));
    assertThatThrownBy(() -> KvDemand.of(hours(9, 5), HOUR))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("9 windows");
  }

  @Test
  void aFullPoolIsSaidToCutTheDemand() {
    List<Sample> samples = hours(20, 7);
    samples.add(new Sample(3 * HOUR + 5, 1.0, 1000, 0, 0));
    KvDemand demand = KvDemand.of(samples, HOUR);
    assertThat(demand.cut()).isEqualTo(1);
    assertThat(demand.sequences()).isZero();
  }

  /** Their tokens would have been in the pool, had it had a place for them. */
  @Test
  void waitingRequestsAreSaidToCutTheDemand() {
    List<Sample> samples = hours(20, 7);
    samples.add(new Sample(3 * HOUR + 5, 0.4, 1000, 7, 0));
    samples.add(new Sample(5 * HOUR + 5, 0.4, 1000, 12, 3));
    KvDemand demand = KvDemand.of(samples, HOUR);
    assertThat(demand.cut()).isEqualTo(1);
    assertThat(demand.sequences()).isEqualTo(12);
  }

  @Test
  void samplesThatAreNoShareAreLeftOut() {
    List<Sample> samples = hours(20, 9);
    List<Double> before = KvDemand.of(samples, HOUR).peaks();
    for (double share : new double[] {Double.NaN, -1, 2, Double.POSITIVE_INFINITY}) {
      samples.add(new Sample(HOUR, share, 1000, 0, 0));
    }
    samples.add(new Sample(HOUR, 0.5, -3, 0, 0));
    samples.add(new Sample(HOUR, 0.5, Double.NaN, 0, 0));
    samples.add(new Sample(Double.NaN, 0.5, 1000, 0, 0));
    assertThat(KvDemand.of(samples, HOUR).peaks()).isEqualTo(before);
  }
}
