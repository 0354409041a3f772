package dev.cotenant.engine.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Days of generated use, a sample each half hour. */
class RightSizingTest {
  private static final Instant NOW = Instant.parse("2026-11-15T00:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration STEP = Duration.ofMinutes(30);
  private static final MemorySize CARD = MemorySize.ofGiB(80);
  private static final RightSizing DAILY =
      new RightSizing(
          DAY, STEP, Coverage.of(0.95), product -> product.equals("A100") ? 4 : Double.NaN);

  /** Each day has a peak of its own, up to {@code spread} above {@code gib}. */
  private static MemorySeries days(int seed, double gib, double spread, int days) {
    SplittableRandom random = new SplittableRandom(seed);
    List<MemorySample> samples = new ArrayList<>();
    double today = gib;
    for (int i = 1; i <= days * 48; i++) {
      today = i % 48 == 1 ? gib * (1 + spread * random.nextDouble()) : today;
      double used = i % 48 == 30 ? today : gib;
      samples.add(
          new MemorySample(
              NOW.minus(DAY.multipliedBy(days)).plus(STEP.multipliedBy(i)),
              MemorySize.ofBytes((long) (used * (1L << 30)))));
    }
    return new MemorySeries(samples);
  }

  private static PodUsage pod(
      String name, String owner, @Nullable MemorySize requested, MemorySeries used) {
    return new PodUsage(
        "team-a",
        name,
        owner,
        "A100",
        CARD,
        1,
        requested,
        null,
        used,
        0,
        used.isEmpty() ? NOW : used.samples().getLast().at(),
        false);
  }

  private static RightSizing.Result of(Map<String, MemorySize> predicted, PodUsage... pods) {
    return DAILY.of(new UsageHistory.Recorded(List.of(pods), List.of()), predicted, NOW);
  }

  @Test
  void theLargestPodDecidesAndWhatIsFreedCountsForAll() {
    RightSizing.Result result =
        of(
            Map.of("team-a/a-1", MemorySize.ofGiB(30)),
            pod("a-1", "Deployment/a", CARD, days(1, 20, 0.1, 8)),
            pod("a-2", "Deployment/a", CARD, days(2, 10, 0.1, 8)));

    Recommendation a = result.workloads().getFirst();
    assertThat(a.pods()).isEqualTo(2);
    assertThat(a.usedMost()).isGreaterThan(MemorySize.ofGiB(20).bytes());
    assertThat(a.recommended())
        .isBetween(MemorySize.ofGiB(20).bytes(), MemorySize.ofGiB(26).bytes());
    assertThat(a.recommended() % MemorySize.MIB).isZero();
    assertThat(a.freed()).isEqualTo(2 * (CARD.bytes() - a.recommended()));
    assertThat(a.predicted()).isEqualTo(MemorySize.ofGiB(30).bytes());
    assertThat(a.money())
        .isCloseTo(8.0 * (1 - (double) a.recommended() / CARD.bytes()), within(1e-9));
    assertThat(a.probability()).isBetween(0.9, 0.95);
    assertThat(a.tested()).isEqualTo(2 * 5);
  }

  @Test
  void whatFreesMostIsFirstAndUnknownRequestsAreLast() {
    RightSizing.Result result =
        of(
            Map.of(),
            pod("few", "Job/few", MemorySize.ofGiB(12), days(1, 10, 0.05, 8)),
            pod("unknown", "Job/unknown", null, days(2, 10, 0.05, 8)),
            pod("short", "Job/short", MemorySize.ofGiB(5), days(3, 10, 0.05, 8)),
            pod("many", "Job/many", CARD, days(4, 10, 0.05, 8)));

    assertThat(result.workloads())
        .extracting(Recommendation::workload)
        .containsExactly("Job/many", "Job/few", "Job/short", "Job/unknown");
    assertThat(result.workloads().get(2).freed()).isNegative();
    assertThat(result.workloads().getLast().freed()).isNull();
    assertThat(result.workloads().getLast().money()).isNull();
  }

  /** Days of 14 workloads, recommended from the days before: as many hold as was stated. */
  @Test
  void theBackTestOfDaysHoldsWhatIsStated() {
    List<PodUsage> pods = new ArrayList<>();
    for (int i = 0; i < 14; i++) {
      pods.add(pod("p-" + i, "Job/" + i, CARD, days(i, 5 + i, i % 2 == 0 ? 0.05 : 0.6, 12)));
    }

    RightSizing.Result result = of(Map.of(), pods.toArray(PodUsage[]::new));

    int tested = result.workloads().stream().mapToInt(Recommendation::tested).sum();
    int exceeded = result.workloads().stream().mapToInt(Recommendation::exceeded).sum();
    assertThat(tested).isEqualTo(14 * 9);
    assertThat(exceeded / (double) tested).isBetween(0.001, 0.09);
    double steady = excess(result, 0);
    double erratic = excess(result, 1);
    assertThat(steady).isLessThan(0.5 * erratic);
  }

  /** Mean of what is recommended above the median, over every second workload. */
  private static double excess(RightSizing.Result result, int from) {
    return result.workloads().stream()
        .filter(row -> Integer.parseInt(row.workload().substring(4)) % 2 == from)
        .mapToDouble(row -> (double) row.recommended() / row.usedMedian() - 1)
        .average()
        .orElseThrow();
  }

  private static MemorySeries endedBefore(Instant end) {
    return new MemorySeries(
        days(1, 10, 0.3, 8).samples().stream()
            .filter(sample -> sample.at().isBefore(end))
            .toList());
  }

  @Test
  void podsThatAreGoneAreLearnedFromAndNotRecommended() {
    MemorySeries past = endedBefore(NOW.minus(DAY));

    RightSizing.Result result =
        of(
            Map.of(),
            pod("old", "Job/old", CARD, past),
            pod("new", "Job/new", CARD, days(2, 10, 0.01, 1)));

    assertThat(result.workloads()).extracting(Recommendation::workload).containsExactly("Job/new");
    assertThat(result.workloads().getFirst().recommended())
        .isGreaterThan((long) (10.5 * (1L << 30)));
    assertThat(result.skipped()).isEmpty();
  }

  @Test
  void aPodThatHasJustEndedSaysWhenItWasLastSeen() {
    MemorySeries past = endedBefore(NOW.minus(STEP));

    assertThat(of(Map.of(), pod("ended", "Job/ended", CARD, past)).workloads())
        .extracting(Recommendation::lastSeen)
        .containsExactly("2026-11-14T23:00:00Z");
  }

  @Test
  void whatCannotBeRecommendedIsNamed() {
    PodUsage beside =
        new PodUsage(
            "team-a",
            "b",
            "Pod/b",
            "A100",
            CARD,
            1,
            CARD,
            null,
            MemorySeries.EMPTY,
            48,
            NOW,
            false);
    PodUsage server =
        new PodUsage(
            "team-a", "s", "Pod/s", "A100", CARD, 1, CARD, null, days(3, 70, 0, 8), 0, NOW, true);

    RightSizing.Result nothing = of(Map.of(), beside, server);
    assertThat(nothing.workloads()).isEmpty();
    assertThat(nothing.skipped())
        .anyMatch(line ->
            line.contains("no pod has samples of two windows of PT24H")
                && line.contains("48 samples show other pods"))
        .anyMatch(line ->
            line.contains("a server of a language model allocates all memory that it gets"));
    assertThat(of(Map.of(), beside, pod("a", "Job/a", CARD, days(1, 5, 0.1, 4))).skipped())
        .singleElement()
        .asString()
        .contains("team-a/Pod/b: has samples of less than two fifths of the last window");
    assertThat(of(Map.of()).workloads()).isEmpty();
  }
}
