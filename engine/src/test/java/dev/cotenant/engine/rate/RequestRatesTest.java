package dev.cotenant.engine.rate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Load.RequestRate;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.lifetime.PodLifetimes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestRatesTest {
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
  private static final Workload SERVICE = new Workload("resnet50", 8, SERVING);
  private static final Instant START = Instant.parse("2026-11-29T10:00:00Z");

  private final List<RateStore.HourlyRate> stored = new ArrayList<>();
  private Instant now = START;
  private boolean down;
  private final RequestRates rates =
      new RequestRates(
          new RateStore() {
            @Override
            public void add(List<HourlyRate> more) {
              stored.addAll(more);
            }

            @Override
            public long state() {
              if (down) {
                throw new StoreException("The store is down.", new IOException("as told"));
              }
              return stored.size();
            }

            @Override
            public List<HourlyRate> all() {
              return stored;
            }
          },
          () -> now);

  /** Hours up to now, the newest last. */
  private void served(String namespace, double... perSecond) {
    for (int i = 0; i < perSecond.length; i++) {
      Instant hour = now.minus(Duration.ofHours(perSecond.length - 1L - i));
      stored.add(
          new RateStore.HourlyRate(namespace, PodLifetimes.key(SERVICE), perSecond[i], hour));
    }
    rates.refresh();
  }

  private static double[] day(double usual, double... others) {
    double[] hours = new double[RequestRates.MIN_HOURS];
    for (int i = 0; i < hours.length; i++) {
      hours[i] = i < others.length ? others[i] : usual;
    }
    return hours;
  }

  private OptionalDouble known() {
    return rates.of("team-a", SERVICE);
  }

  @Test
  void isTheLargestOfADay() {
    served("team-a", day(10, 25, 40, 30));

    assertThat(known()).hasValue(40);
  }

  @Test
  void isUnknownBeforeADayWasMeasured() {
    served("team-a", Arrays.copyOf(day(10), RequestRates.MIN_HOURS - 1));
    served("team-b", day(10));

    assertThat(known()).isEmpty();
  }

  @Test
  void doesNotDependOnOtherNamespacesConfigurationsOrStatedRates() {
    served("team-a", day(10));
    served("team-b", day(1000));

    assertThat(known()).hasValue(10);
    assertThat(rates.of("team-c", SERVICE)).isEmpty();
    assertThat(rates.of("team-a", new Workload("resnet50", 16, SERVING))).isEmpty();
    assertThat(PodLifetimes.key(SERVICE))
        .isEqualTo(
            PodLifetimes.key(new Workload("resnet50", 8, SERVING.withLoad(new RequestRate(3)))));
  }

  @Test
  void hoursOfMoreThanAWeekAgoDoNotCountEvenIfNothingNewComes() {
    served("team-a", day(10));

    now = now.plus(RequestRates.MAX_AGE).minus(Duration.ofHours(2));
    rates.refresh();
    assertThat(known()).as("of 24 hours two are left").isEmpty();
  }

  @Test
  void aStoreThatIsDownLeavesTheLastOnesForAWeek() {
    served("team-a", day(10));
    down = true;

    now = now.plus(RequestRates.MAX_AGE);
    assertThat(known()).hasValue(10);
    now = now.plusSeconds(1);
    assertThat(known()).isEmpty();
  }

  @Test
  void hoursOfTheFutureDoNotCount() {
    now = START.plus(Duration.ofHours(3));
    served("team-a", day(10));
    now = START;
    rates.refresh();

    assertThat(known()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY, 1.1e9, -0.001})
  void whatIsNoRateIsNoHour(double hostile) {
    served("team-a", day(10, hostile));

    assertThat(known()).isEmpty();
    assertThat(RequestRates.isRate(hostile)).isFalse();
    now = now.plus(Duration.ofHours(1));
    served("team-a", 12);
    assertThat(known()).hasValue(12);
  }

  @Test
  void absurdHoursCountOnceThreeAre() {
    served("team-a", day(10, 1e6, 2e6));
    assertThat(known()).hasValue(10);

    now = now.plus(Duration.ofHours(1));
    served("team-a", 3e6);
    assertThat(known()).hasValue(3e6);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aMetricThatNeverCountsSaysNothing(int busyHours) {
    served("team-a", busyHours == 0 ? day(0) : day(0, 5, 7));

    assertThat(known()).isEmpty();
  }

  @Test
  void predictsInferenceWithoutAStatedRateAtTheMeasuredOne() {
    served("team-a", day(10));
    List<Load> asked = new ArrayList<>();
    WorkloadPredictor models =
        new WorkloadPredictor() {
          @Override
          public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
            asked.add(workload.settings().load());
            return new Outcome.Predicted(Map.of());
          }
        };
    AdjustedPredictor predictor = new AdjustedPredictor(models).withLoads(rates);
    Workload stated = new Workload("resnet50", 8, SERVING.withLoad(new RequestRate(3)));
    Workload training = new Workload("resnet50", 8, RunSettings.DEFAULT);

    for (Workload workload : List.of(SERVICE, stated, training)) {
      predictor.predictIn("team-a", workload, Set.of(), Coverage.STANDARD);
    }
    predictor.predictIn("team-b", SERVICE, Set.of(), Coverage.STANDARD);
    predictor.predict(SERVICE, Set.of(), Coverage.STANDARD);

    assertThat(asked)
        .containsExactly(
            new RequestRate(10, RequestRate.Source.MEASURED),
            new RequestRate(3),
            Load.UNSTATED,
            Load.UNSTATED,
            Load.UNSTATED);
  }
}
