package dev.cotenant.engine.risk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.interference.risk.SharedJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SpeedQuotaTest {
  private static final Instant BEGIN = Instant.parse("2026-11-21T10:00:00Z");

  private static SharedJob job(String name) {
    return new SharedJob(name, name, 0.4, 0.2);
  }

  private static MeasuredSpeed row(String pod, int interval, String job, String... neighbours) {
    return new MeasuredSpeed(
        "team-a",
        pod,
        "t4",
        job(job),
        List.of(neighbours).stream().map(SpeedQuotaTest::job).toList(),
        100,
        BEGIN.plus(SpeedQuota.INTERVAL.multipliedBy(interval)),
        SpeedSource.PROGRESS,
        "");
  }

  @Test
  void aPodHasOneRowOfASharingInAnInterval() {
    List<MeasuredSpeed> rows =
        List.of(
            row("one", 0, "a", "b"),
            row("one", 0, "a", "b"),
            row("one", 0, "a", "c"),
            row("two", 0, "a", "b"),
            row("one", 1, "a", "b"));
    assertThat(SpeedQuota.surplus(rows)).as("the later of two").containsExactly(1);
  }

  private static MeasuredSpeed after(long seconds, String... neighbours) {
    MeasuredSpeed row = row("one", 0, "a", neighbours);
    return new MeasuredSpeed(
        row.namespace(),
        row.pod(),
        row.device(),
        row.job(),
        row.neighbours(),
        row.speed(),
        BEGIN.plusSeconds(seconds),
        SpeedSource.PROGRESS,
        "");
  }

  @Test
  void bothPartsOfAProfileStay() {
    assertThat(SpeedQuota.surplus(List.of(after(180), after(300)))).isEmpty();
    assertThat(SpeedQuota.surplus(List.of(after(4), after(8), after(12), after(305))))
        .as("a third within five minutes of the first")
        .containsExactly(2);
  }

  @Test
  void readingsOfOneIntervalEachStayWhereverTheyFallInIt() {
    assertThat(SpeedQuota.surplus(List.of(after(10, "b"), after(310, "b"), after(599, "b"))))
        .containsExactly(2);
  }

  @Test
  void aSharingHasItsNewestRowsWhateverElseIsReported() {
    List<MeasuredSpeed> rows = new ArrayList<>();
    rows.add(row("rare", 0, "rare"));
    rows.add(row("rare", 0, "rare", "b"));
    for (int i = 0; i < 5000; i++) {
      rows.add(row("often", i, "a", "b", "c"));
      rows.add(row("often", i, "a", "c", "b"));
    }
    Set<Integer> surplus = SpeedQuota.surplus(rows);

    assertThat(rows).hasSize(surplus.size() + 2 + SpeedQuota.ROWS_OF_ONE);
    assertThat(surplus).doesNotContain(0, 1, rows.size() - 2);
  }

  @Test
  void rowsAloneHaveAQuotaOfTheirOwn() {
    List<MeasuredSpeed> rows = new ArrayList<>();
    IntStream.range(0, 10).forEach(i -> rows.add(row("pod", i, "alone " + i)));
    IntStream.range(0, 3000).forEach(i -> rows.add(row("pod", i, "a", "b" + i)));
    Set<Integer> surplus = SpeedQuota.surplus(rows);

    assertThat(surplus).doesNotContain(0, 9).contains(10);
    assertThat(rows.size() - surplus.size())
        .isEqualTo(10 + SpeedStore.MAX_ROWS - SpeedQuota.MAX_ALONE);
  }
}
