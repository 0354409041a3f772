package dev.cotenant.forecast.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SizingTest {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration STEP = Duration.ofMinutes(30);
  private static final SizingWindows DAYS = new SizingWindows(DAY, Duration.ofHours(6), STEP);
  private static final MemorySize CAPACITY = MemorySize.ofGiB(80);

  /**
   * Days of a pod: a level of its own, a peak each day, and on some pods a second level that comes
   * and goes, which the day before does not tell.
   */
  private static RecordedDevice pod(int number, int days) {
    SplittableRandom random = new SplittableRandom(number);
    double base = 4 + random.nextInt(20);
    boolean isErratic = number % 3 == 0;
    List<MemorySample> samples = new ArrayList<>();
    double today = base;
    for (int i = 0; i < days * 48; i++) {
      if (i % 48 == 0) {
        today = base * (1 + (isErratic ? random.nextDouble() : 0.05 * random.nextDouble()));
      }
      double used = i % 48 == 30 ? today : base;
      samples.add(new MemorySample(EPOCH.plus(STEP.multipliedBy(i)), gib(used)));
    }
    return new RecordedDevice(
        "pod-" + number, "pod-" + number, new MemorySeries(samples), CAPACITY);
  }

  private static MemorySize gib(double amount) {
    return MemorySize.ofBytes((long) (amount * (1L << 30)));
  }

  private static List<SizingRow> rows(int from, int to, int days) {
    return IntStream.range(from, to)
        .mapToObj(number -> DAYS.rows(pod(number, days)))
        .flatMap(List::stream)
        .toList();
  }

  private static double covered(SizingModel model, List<SizingRow> rows) {
    return rows.stream()
        .mapToDouble(row -> row.nextPeak() <= model.bytes(row.past()) ? 1 : 0)
        .average()
        .orElseThrow();
  }

  private static double excess(SizingModel model, List<SizingRow> rows) {
    return rows.stream()
        .mapToDouble(row -> model.bytes(row.past()) / row.nextPeak() - 1)
        .average()
        .orElseThrow();
  }

  /** Steady pods need little beyond their peak, erratic ones more; one factor treats them alike. */
  @Test
  void daysOfUnseenPodsAreCoveredWithLessThanOneFactorTakes() {
    List<SizingRow> known = rows(0, 30, 12);
    List<SizingRow> unseen = rows(30, 60, 12);
    double level = 0.9;
    SizingTrainer trainer = new SizingTrainer(Coverage.of(level), 1);
    SizingModel model = trainer.train(known);

    assertThat(model.spread()).isNotNull();
    assertThat(covered(model, unseen)).isGreaterThan(level - 0.04);
    assertThat(excess(model, unseen)).isLessThan(0.8 * excess(trainer.factor(known), unseen));
    SizingModel again = trainer.train(known);
    assertThat(known)
        .as("the same rows and seed give the same model")
        .allSatisfy(row -> assertThat(again.bytes(row.past())).isEqualTo(model.bytes(row.past())));
  }

  @Test
  void fewPodsGiveOneFactorAndAProbabilityThatTheySupport() {
    List<SizingRow> few = rows(1, 3, 3);
    SizingModel model = new SizingTrainer(Coverage.of(0.99), 1).train(few);

    assertThat(model.spread()).isNull();
    assertThat(model.factor()).isGreaterThanOrEqualTo(1);
    assertThat(model.probability()).isCloseTo(few.size() / (few.size() + 1.0), within(1e-12));
    assertThat(covered(model, few)).isEqualTo(1);
  }

  @Test
  void numbersOfAWindowAreFreeOfItsScale() {
    double[] bytes = {1, 5, 5, 2, 7, 7, 7, 3, 9, 2, 2, 8};
    double[] tenfold = Arrays.stream(bytes).map(one -> 10 * one).toArray();

    assertThat(UsedWindow.of(tenfold, 100).features())
        .containsExactly(UsedWindow.of(bytes, 10).features());
    assertThat(UsedWindow.of(tenfold, 100).peak()).isEqualTo(90);
  }

  @Test
  void aWindowOfOneSampleHasNumbers() {
    assertThat(UsedWindow.of(new double[] {4}, 8).features())
        .hasSameSizeAs(UsedWindow.of(new double[] {1, 2, 3}, 8).features());
  }

  @Test
  void windowsWithoutSamplesOrUseAreLeftOut() {
    RecordedDevice pod = pod(1, 4);
    List<MemorySample> gap =
        pod.series().samples().stream()
            .filter(sample ->
                sample.at().isBefore(EPOCH.plus(DAY))
                    || sample.at().isAfter(EPOCH.plus(DAY.multipliedBy(3))))
            .toList();
    RecordedDevice gapped = new RecordedDevice("pod", "pod", new MemorySeries(gap), CAPACITY);
    RecordedDevice idle =
        new RecordedDevice(
            "idle",
            "idle",
            new MemorySeries(
                pod.series().samples().stream()
                    .map(sample -> new MemorySample(sample.at(), MemorySize.ZERO))
                    .toList()),
            CAPACITY);

    assertThat(DAYS.rows(pod)).hasSize(8);
    assertThat(DAYS.rows(gapped)).isEmpty();
    assertThat(DAYS.rows(idle)).isEmpty();
    assertThat(DAYS.past(idle, EPOCH.plus(DAY))).isEmpty();
    assertThat(DAYS.past(pod, EPOCH.plus(DAY))).isPresent();
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SizingWindows(Duration.ZERO, DAY, STEP));
    assertThatIllegalArgumentException().isThrownBy(() -> UsedWindow.of(new double[] {0, 0}, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> UsedWindow.of(new double[] {1}, Double.NaN));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SizingTrainer(Coverage.of(0.9), 1).train(List.of()));
  }
}
