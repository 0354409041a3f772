package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.rate.RateStore;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The largest rate of each whole hour of services that state none. */
class HourlyRatesTest extends SpeedWatchBench {
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
  private static final Map<String, String> METRIC =
      Map.of(CotenantAnnotations.RATE_METRIC, "rate(requests_total)");

  private final List<RateStore.HourlyRate> rates = new ArrayList<>();
  private final List<Instant> hours = new ArrayList<>();
  private boolean storeDown;
  private boolean metricsDown;
  private final RateStore rateStore =
      new RateStore() {
        @Override
        public void add(List<HourlyRate> more) {
          if (storeDown) {
            throw new StoreException("The store is down.", new IOException("as told"));
          }
          rates.addAll(more);
        }

        @Override
        public long state() {
          return rates.size();
        }

        @Override
        public List<HourlyRate> all() {
          return rates;
        }
      };
  private HourlyRates watched = leader();

  private HourlyRates leader() {
    return new HourlyRates(this::readAt, this::view, rateStore, meters, () -> now);
  }

  private OptionalDouble readAt(String expression, Instant at) {
    if (metricsDown) {
      throw new MetricsUnreachableException("as told");
    }
    asked.add(expression);
    hours.add(at);
    return Double.isInfinite(value) ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  private void service(String name, Map<String, String> annotations, RunSettings settings) {
    pod(name, 16, annotations, null, settings);
  }

  private void pass(Duration time) {
    for (int i = 0; i < time.toMinutes(); i++) {
      now = now.plusSeconds(60);
      watched.observe();
    }
  }

  private double count(String outcome) {
    return meters.counter("cotenant.rates.read", "outcome", outcome).count();
  }

  @Test
  void storesTheLargestOfEachHourOnce() {
    service("one", METRIC, SERVING);
    value = 12.5;

    pass(Duration.ofMinutes(61));
    assertThat(asked).as("samples may come late").isEmpty();
    pass(Duration.ofMinutes(122));

    Instant first = START.plus(Duration.ofHours(1));
    String workload = PodLifetimes.key(new Workload("m", 16, SERVING));
    assertThat(rates)
        .containsExactly(
            new RateStore.HourlyRate("team-a", workload, 12.5, first),
            new RateStore.HourlyRate("team-a", workload, 12.5, first.plus(Duration.ofHours(1))),
            new RateStore.HourlyRate("team-a", workload, 12.5, first.plus(Duration.ofHours(2))));
    assertThat(hours).containsExactlyElementsOf(rates.stream().map(rate -> rate.hour()).toList());
    String numbers =
        "((sum(rate(requests_total{namespace=\"team-a\", pod=\"one\"}[120s]) and (time() -"
            + " timestamp(requests_total{namespace=\"team-a\", pod=\"one\"}) < 90)))[3600s:60s])";
    assertThat(asked.getFirst())
        .isEqualTo("max_over_time" + numbers + " and (count_over_time" + numbers + " >= 50)");
    assertThat(count("taken")).isEqualTo(3);
  }

  @Test
  void readsServicesThatStateNoRateAndNameItsMetricAlone() {
    service("without-metric", Map.of(), SERVING);
    service("invalid", Map.of(CotenantAnnotations.RATE_METRIC, "sum(up)"), SERVING);
    service("stated", METRIC, SERVING.withLoad(new Load.RequestRate(20)));
    service("training", METRIC, RunSettings.DEFAULT);
    pass(Duration.ofMinutes(30));
    service("young", METRIC, SERVING);
    pass(Duration.ofMinutes(45));

    assertThat(asked).isEmpty();
    pass(Duration.ofHours(1));
    assertThat(asked).hasSize(1).first().asString().contains("pod=\"young\"");
  }

  /** The metrics server answers nothing where fewer than 50 of 60 minutes have fresh samples. */
  @Test
  void anHourWithStaleSamplesIsNotStored() {
    service("one", METRIC, SERVING);
    value = Double.POSITIVE_INFINITY;
    pass(Duration.ofMinutes(70));

    assertThat(rates).isEmpty();
    assertThat(count("missing")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, -1, 1e10, 1e308})
  void whatIsNoRateIsRejected(double hostile) {
    service("one", METRIC, SERVING);
    value = hostile;
    pass(Duration.ofMinutes(70));

    assertThat(rates).isEmpty();
    assertThat(count("rejected")).isEqualTo(1);
  }

  @Test
  void aLaterLeaderReadsTheSameHourWithTheSameResult() {
    service("one", METRIC, SERVING);
    pass(Duration.ofMinutes(70));
    watched = leader();
    pass(Duration.ofMinutes(5));

    assertThat(rates).hasSize(2);
    assertThat(rates.getFirst()).isEqualTo(rates.getLast());
  }

  @Test
  void nothingIsLostWhileStoreOrMetricsAreDown() {
    service("one", METRIC, SERVING);
    metricsDown = true;
    pass(Duration.ofMinutes(70));
    metricsDown = false;
    pass(Duration.ofMinutes(30));
    Instant first = START.plus(Duration.ofHours(1));
    assertThat(rates).extracting(RateStore.HourlyRate::hour).containsExactly(first);

    storeDown = true;
    assertThatThrownBy(() -> pass(Duration.ofMinutes(40))).isInstanceOf(StoreException.class);
    storeDown = false;
    pass(Duration.ofMinutes(5));
    assertThat(rates)
        .extracting(RateStore.HourlyRate::hour)
        .containsExactly(first, first.plus(Duration.ofHours(1)));
  }

  /** Eight replicas of a configuration, four in each look. */
  @Test
  void readsSomeReplicasInTurns() {
    for (int i = 0; i < 20; i++) {
      service("replica-" + i, METRIC, SERVING);
    }
    pass(Duration.ofMinutes(62));
    assertThat(asked).hasSize(4);
    pass(Duration.ofMinutes(30));
    assertThat(asked).hasSize(8);
  }
}
