package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.forecast.prometheus.MetricsTimedOutException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ActivitySpeedsTest extends SpeedWatchBench {
  private final Map<SpeedSource, Double> shown = new EnumMap<>(SpeedSource.class);
  private boolean isSlow;

  private final ActivitySpeeds activities =
      new ActivitySpeeds(
          this::shown,
          this::view,
          reports::add,
          new GpuActivity("cluster=\"a\""),
          meters,
          () -> now);

  private OptionalDouble shown(String expression, Instant at) {
    asked.add(expression);
    if (isSlow) {
      throw new MetricsTimedOutException("too slow");
    }
    SpeedSource source =
        expression.contains("DRAM_ACTIVE")
            ? SpeedSource.DRAM_ACTIVITY
            : expression.contains("SM_ACTIVE") ? SpeedSource.SM_ACTIVITY : SpeedSource.POWER;
    Double value = shown.get(source);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  private void pass(int minutes) {
    for (int i = 0; i < 6 * minutes; i++) {
      reports.observe();
      activities.observe();
      now = now.plusSeconds(10);
    }
  }

  private double count(String outcome) {
    return meters.counter("cotenant.activities.read", "outcome", outcome).count();
  }

  @Test
  void areReadTwiceForEachSetOfTenants() {
    shown.put(SpeedSource.DRAM_ACTIVITY, 0.4);
    shown.put(SpeedSource.POWER, 210.0);
    pod("a", Map.of());
    pass(4);
    assertThat(asked).as("tenants came within the window").isEmpty();
    pass(30);
    assertThat(stored)
        .extracting(MeasuredSpeed::source)
        .containsExactly(
            SpeedSource.DRAM_ACTIVITY,
            SpeedSource.POWER,
            SpeedSource.DRAM_ACTIVITY,
            SpeedSource.POWER);
    assertThat(stored).allMatch(MeasuredSpeed::isAlone);
    assertThat(count("missing")).as("SM activity, twice").isEqualTo(2);

    pod("b", Map.of());
    pass(30);
    assertThat(stored.subList(4, stored.size()))
        .hasSize(8)
        .allSatisfy(row -> assertThat(row.neighbours()).hasSize(1));
    assertThat(samples).as("says nothing of one of two, so nothing to the guard").isEmpty();
  }

  @Test
  void staleSamplesHaveNoResult() {
    GpuActivity activity = new GpuActivity("cluster=\"a\"");
    assertThat(activity.promQl(SpeedSource.SM_ACTIVITY, "GPU-a", SpeedReports.WINDOW))
        .isEqualTo(
            "avg(avg_over_time(DCGM_FI_PROF_SM_ACTIVE{cluster=\"a\", UUID=\"GPU-a\"}[300s]) and"
                + " (time() - timestamp(DCGM_FI_PROF_SM_ACTIVE{cluster=\"a\", UUID=\"GPU-a\"})"
                + " < 90))");
    assertThat(activity.promQl(SpeedSource.POWER, "GPU-a", SpeedReports.WINDOW))
        .contains(
            " - min(min_over_time(DCGM_FI_DEV_POWER_USAGE{cluster=\"a\", UUID=\"GPU-a\"}[1d]))");
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        -0.4,
        0,
        0.001,
        1.01,
        1e300
      })
  void absurdActivitiesAreMissing(double value) {
    shown.put(SpeedSource.DRAM_ACTIVITY, value);
    shown.put(SpeedSource.SM_ACTIVITY, value);
    shown.put(SpeedSource.POWER, value == 1.01 ? 1e6 : value);
    pod("a", Map.of());
    pass(30);
    assertThat(stored).isEmpty();
    assertThat(count("missing")).isEqualTo(6);
  }

  @Test
  void aSlowServerIsLeftAloneForAMinute() {
    isSlow = true;
    shown.put(SpeedSource.DRAM_ACTIVITY, 0.4);
    pod("a", Map.of());
    pass(10);
    assertThat(asked.size()).isBetween(4, 6);
    isSlow = false;
    pass(12);
    assertThat(stored).hasSize(2);
  }

  @Test
  void nothingIsReadWithoutTenants() {
    pass(30);
    assertThat(asked).isEmpty();
  }
}
