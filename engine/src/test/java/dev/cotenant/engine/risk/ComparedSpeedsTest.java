package dev.cotenant.engine.risk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.interference.risk.SharedJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparedSpeedsTest {
  private static final String DEVICE = "a100-40gb";

  private final List<MeasuredSpeed> rows = new ArrayList<>();

  private static SharedJob job(int kind) {
    return new SharedJob("job " + kind, "model " + kind, 0.4, 0.2);
  }

  private void row(
      SpeedSource source, String work, double speed, SharedJob own, SharedJob... beside) {
    rows.add(
        new MeasuredSpeed(
            "team-a", "pod", DEVICE, own, List.of(beside), speed, Instant.EPOCH, source, work));
  }

  private void alone(SpeedSource source, String work, double speed, SharedJob job) {
    row(source, work, speed, job);
    row(source, work, speed * 1.01, job);
  }

  private List<ComparedSpeeds.Compared> counted() {
    return new ComparedSpeeds(rows).counted();
  }

  @Test
  void durationsCountWhereNoProgressIsKnown() {
    alone(SpeedSource.DURATION, "Job/nightly", 1 / 600.0, job(1));
    row(SpeedSource.DURATION, "Job/nightly", 1 / 900.0, job(1), job(2));
    assertThat(counted())
        .singleElement()
        .satisfies(one -> {
          assertThat(one.ratio()).isCloseTo(600.0 / 900 / 1.005, within(1e-3));
          assertThat(one.noise()).isGreaterThanOrEqualTo(0.05);
        });

    row(SpeedSource.PROGRESS, "", 90, job(1), job(2));
    assertThat(counted()).as("progress without a speed alone is none").hasSize(1);
    alone(SpeedSource.PROGRESS, "", 100, job(1));
    ComparedSpeeds speeds = new ComparedSpeeds(rows);
    assertThat(speeds.counted())
        .singleElement()
        .satisfies(one -> {
          assertThat(one.row().source()).isEqualTo(SpeedSource.PROGRESS);
          assertThat(one.ratio()).isCloseTo(0.896, within(1e-3));
        });
    assertThat(speeds.sources())
        .isEqualTo(Map.of(ComparedSpeeds.key(DEVICE, "job 1"), SpeedSource.PROGRESS));
  }

  @Test
  void durationsOfOtherWorkAreNotCompared() {
    alone(SpeedSource.DURATION, "Job/nightly", 1 / 600.0, job(1));
    row(SpeedSource.DURATION, "Job/hourly", 1 / 60.0, job(1), job(2));
    assertThat(counted()).isEmpty();
  }

  @Test
  void durationsThatVaryAloneSayNothing() {
    for (double seconds : new double[] {600, 900, 400, 1500}) {
      row(SpeedSource.DURATION, "Job/nightly", 1 / seconds, job(1));
    }
    row(SpeedSource.DURATION, "Job/nightly", 1 / 900.0, job(1), job(2));
    assertThat(counted()).isEmpty();
  }

  @Test
  void oneDurationAloneIsNotTrusted() {
    row(SpeedSource.DURATION, "Job/nightly", 1 / 600.0, job(1));
    row(SpeedSource.DURATION, "Job/nightly", 1 / 900.0, job(1), job(2));
    assertThat(counted()).isEmpty();
  }

  /** Memory activity falls half as far, in logarithms, as the speeds that it stands for. */
  private void calibrated(SpeedSource source, int pairs, double error) {
    for (int i = 0; i < pairs; i++) {
      SharedJob one = job(10 + 2 * i);
      SharedJob other = job(11 + 2 * i);
      double slowed = 1 - 0.04 * (i + 1);
      alone(SpeedSource.PROGRESS, "", 100, one);
      row(
          SpeedSource.PROGRESS,
          "",
          100 * slowed * (i % 2 == 0 ? 1 + error : 1 - error),
          one,
          other);
      alone(source, "", 0.3, one);
      alone(source, "", 0.2, other);
      row(source, "", 0.5 * Math.sqrt(slowed), one, other);
    }
  }

  private void unknownPair(SpeedSource source) {
    alone(source, "", 0.3, job(1));
    alone(source, "", 0.2, job(2));
    row(source, "", 0.45, job(1), job(2));
  }

  private boolean isKnown() {
    return new ComparedSpeeds(rows).sources().containsKey(ComparedSpeeds.key(DEVICE, "job 1"));
  }

  @Test
  void activitiesCountOnceTheyAreCalibrated() {
    unknownPair(SpeedSource.DRAM_ACTIVITY);
    assertThat(counted()).isEmpty();
    calibrated(SpeedSource.DRAM_ACTIVITY, 7, 0);
    assertThat(isKnown()).as("seven sharings").isFalse();
    rows.clear();
    unknownPair(SpeedSource.DRAM_ACTIVITY);
    calibrated(SpeedSource.DRAM_ACTIVITY, 10, 0);

    ComparedSpeeds speeds = new ComparedSpeeds(rows);
    assertThat(speeds.sources())
        .containsEntry(ComparedSpeeds.key(DEVICE, "job 1"), SpeedSource.DRAM_ACTIVITY)
        .containsEntry(ComparedSpeeds.key(DEVICE, "job 10"), SpeedSource.PROGRESS);
    // 0.45 of 0.3 and 0.2, each measured alone 0.5 % higher; the speed is its square
    assertThat(speeds.counted().getFirst().ratio())
        .isCloseTo(Math.pow(0.45 / 0.5 / 1.005, 2), within(0.02));
    assertThat(speeds.counted().getFirst().noise()).isBetween(0.05, 0.06);
  }

  @Test
  void activitiesThatDoNotFollowSpeedsDoNotCount() {
    unknownPair(SpeedSource.SM_ACTIVITY);
    calibrated(SpeedSource.SM_ACTIVITY, 10, 0.4);
    assertThat(isKnown()).isFalse();
  }

  @Test
  void ofTwoActivitiesTheOneThatFollowsCloserCounts() {
    unknownPair(SpeedSource.DRAM_ACTIVITY);
    unknownPair(SpeedSource.POWER);
    calibrated(SpeedSource.POWER, 10, 0);
    for (int i = 0; i < 10; i++) {
      double off = i % 2 == 0 ? 1.1 : 0.9;
      alone(SpeedSource.DRAM_ACTIVITY, "", 0.3, job(10 + 2 * i));
      alone(SpeedSource.DRAM_ACTIVITY, "", 0.2, job(11 + 2 * i));
      row(
          SpeedSource.DRAM_ACTIVITY,
          "",
          0.5 * Math.min(1.9, off * (1 - 0.04 * (i + 1))),
          job(10 + 2 * i),
          job(11 + 2 * i));
    }
    assertThat(new ComparedSpeeds(rows).sources())
        .containsEntry(ComparedSpeeds.key(DEVICE, "job 1"), SpeedSource.POWER);
  }

  @Test
  void aNeighbourWithoutAnActivityAloneLeavesThatOfTheGpuUnread() {
    calibrated(SpeedSource.DRAM_ACTIVITY, 10, 0);
    alone(SpeedSource.DRAM_ACTIVITY, "", 0.3, job(1));
    row(SpeedSource.DRAM_ACTIVITY, "", 0.45, job(1), job(2));
    assertThat(isKnown()).isFalse();
  }
}
