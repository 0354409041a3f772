package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedQuota;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import dev.cotenant.interference.risk.SharedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/**
 * A pod that was measured alone has a speed alone when its GPU opens, and not ten minutes later.
 */
class ProfiledSpeedsTest extends SpeedWatchBench {
  private static final Duration TIME = Duration.ofMinutes(5);

  private final List<Instant> times = new ArrayList<>();
  private boolean isDown;
  private boolean isWatched;
  private double activity = Double.NaN;

  private final ProfiledSpeeds profiled =
      new ProfiledSpeeds(
          this::shown,
          new SpeedQueries(),
          new GpuActivity(""),
          this::view,
          reports,
          meters,
          () -> now);

  private OptionalDouble shown(String expression, Instant at) {
    if (isDown) {
      throw new MetricsUnreachableException("refused");
    }
    if (expression.contains("DCGM")) {
      return Double.isFinite(activity) ? OptionalDouble.of(activity) : OptionalDouble.empty();
    }
    times.add(at);
    return read(expression, at);
  }

  private void profile(String name, int batch) {
    pod(
        name,
        batch,
        Map.of(
            CotenantAnnotations.SPEED_METRIC,
            "rate(steps_total)",
            CotenantAnnotations.PROFILE_TIME,
            TIME.toSeconds() + "s"),
        now.plus(TIME));
  }

  private void pass(Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plusSeconds(10)) {
      reports.observe();
      if (isWatched) {
        watch.observe();
      }
      profiled.observe();
      memory.refresh();
    }
  }

  private double count(String outcome) {
    return meters.counter("cotenant.speeds.profiled", "outcome", outcome).count();
  }

  @Test
  void bothHalvesOfTheTimeAloneCountWhenTheGpuOpens() {
    profile("one", 16);
    pass(TIME.plusSeconds(10));

    assertThat(stored)
        .hasSize(2)
        .allMatch(MeasuredSpeed::isAlone)
        .allMatch(row -> row.source() == SpeedSource.PROGRESS);
    assertThat(SpeedQuota.surplus(stored)).as("the store keeps both").isEmpty();
    assertThat(times).containsExactly(START.plusSeconds(180), START.plusSeconds(300));
    assertThat(asked).allSatisfy(promQl -> assertThat(promQl).contains("[120s]"));
    assertThat(memory.alone("team-a", "a100-40gb", stored.getFirst().job().configuration()))
        .hasValueSatisfying(alone -> assertThat(alone.median()).isEqualTo(100));
  }

  @Test
  void theFirstNeighbourIsComparedAndLearned() {
    profile("one", 16);
    pass(TIME);
    pod("two", 32, Map.of(), null);
    isWatched = true;
    pass(Duration.ofSeconds(10));
    value = 70;
    pass(Duration.ofMinutes(12));

    SharedJob job = stored.getFirst().job();
    assertThat(memory.of("team-a").knowsVictim("a100-40gb", job)).isTrue();
    assertThat(samples)
        .isNotEmpty()
        .allSatisfy(sample -> assertThat(sample.value()).isEqualTo(100.0 / 70));
  }

  @Test
  void activitiesAreReadOfTheSameTime() {
    activity = 0.3;
    profile("one", 16);
    pass(TIME.plusSeconds(10));

    assertThat(stored).hasSize(6); // power of less than a watt above idle is none
    assertThat(stored.subList(2, 6))
        .extracting(MeasuredSpeed::source)
        .containsExactly(
            SpeedSource.DRAM_ACTIVITY,
            SpeedSource.DRAM_ACTIVITY,
            SpeedSource.SM_ACTIVITY,
            SpeedSource.SM_ACTIVITY);
  }

  @Test
  void missingSamplesMayStillArrive() {
    double speed = value;
    value = Double.NaN;
    profile("one", 16);
    pass(TIME.plusMinutes(1));
    assertThat(stored).isEmpty();
    assertThat(asked).as("once a minute").hasSizeBetween(2, 4);
    value = speed;
    pass(Duration.ofMinutes(2));

    assertThat(stored).hasSizeGreaterThanOrEqualTo(2);
    assertThat(count("missing")).isPositive();
    assertThat(count("taken")).isEqualTo(1);
  }

  @Test
  void absurdSpeedsAreRejectedOnce() {
    value = 1e13;
    profile("one", 16);
    pass(TIME.plusMinutes(3));

    assertThat(stored).isEmpty();
    assertThat(count("rejected")).isEqualTo(1);
  }

  @Test
  void aServerThatIsDownIsAskedOnceAMinute() {
    isDown = true;
    profile("one", 16);
    pass(TIME.plusSeconds(10));
    isDown = false;
    pass(Duration.ofSeconds(40));
    assertThat(stored).isEmpty();
    pass(Duration.ofSeconds(30));

    assertThat(stored).hasSize(2);
  }

  @Test
  void aGpuThatWasOpenedBeforeSaysNothing() {
    pod(
        "one",
        16,
        Map.of(
            CotenantAnnotations.SPEED_METRIC,
            "rate(steps_total)",
            CotenantAnnotations.PROFILE_TIME,
            TIME.toSeconds() + "s"),
        now.plus(TIME).minusSeconds(1));
    pass(TIME.plusSeconds(30));

    assertThat(stored).isEmpty();
  }
}
