package dev.cotenant.forecast;

import static dev.cotenant.forecast.Requests.applies;
import static dev.cotenant.forecast.Requests.passReason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PeakBoundTest {
  private static final Instant START = Instant.parse("2026-11-21T00:00:00Z");
  private static final MemorySize CARD = MemorySize.ofGiB(40);
  private static final double GIB = 1 << 30;
  private final PeakBound bound = new PeakBound(PeakModelFile.shipped(), Duration.ofMinutes(10));

  /** A sample a minute, its size in GiB. */
  private static MemorySeries minutes(int count, IntToDoubleFunction gib) {
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(
          new MemorySample(
              START.plusSeconds(60L * i), MemorySize.ofBytesRoundedUp(gib.applyAsDouble(i) * GIB)));
    }
    return new MemorySeries(samples);
  }

  private MemoryForecast.Applies ask(MemorySeries series) {
    return ask(series, null);
  }

  private MemoryForecast.Applies ask(MemorySeries series, @Nullable List<MemorySize> granted) {
    Instant now = series.samples().getLast().at();
    return applies(bound.forecast(new ForecastRequest(series, CARD, granted, now)));
  }

  private double upperGiB(int count, IntToDoubleFunction gib) {
    return ask(minutes(count, gib)).peakUpper().toGiB();
  }

  @Test
  void staysNearAPlateau() {
    assertThat(upperGiB(120, i -> 10)).isBetween(10.0, 13.0);
    assertThat(ask(minutes(120, i -> 10)).next().toGiB()).isBetween(9.5, 10.5);
  }

  @Test
  void followsARampForAWholeHorizon() {
    // 0.1 GiB a minute for 100 minutes: 10 GiB now and 11 GiB in ten minutes.
    assertThat(upperGiB(101, i -> 0.1 * i)).isGreaterThanOrEqualTo(10.999);
  }

  @Test
  void isNotBelowAStepJustTaken() {
    assertThat(upperGiB(100, i -> i < 97 ? 5 : 20)).isGreaterThanOrEqualTo(20);
    // and keeps a peak of some steps ago in mind
    assertThat(upperGiB(100, i -> i == 96 ? 20 : 5)).isGreaterThanOrEqualTo(20);
  }

  @Test
  void expectsTheNextBatchOfAPeriodicSeries() {
    // 15 GiB for 12 minutes of every 36, now 9 minutes into a pause at 7 GiB.
    assertThat(upperGiB(36 * 5 + 21, i -> i % 36 < 12 ? 15 : 7)).isGreaterThanOrEqualTo(15);
  }

  @Test
  void expectsARestartedProcessBackAsItWas() {
    assertThat(upperGiB(103, i -> i < 100 ? 20 : 0)).isGreaterThanOrEqualTo(20);
    assertThat(upperGiB(105, i -> i < 100 ? 20 : i == 104 ? 4 : 0)).isGreaterThanOrEqualTo(20);
  }

  @Test
  void leavesRoomForWhatHasJustStarted() {
    assertThat(upperGiB(3, i -> 2 * i)).isGreaterThan(15);
    assertThat(ask(minutes(3, i -> 2)).assumed()).as("for want of samples").isTrue();
    assertThat(ask(minutes(120, i -> 2)).assumed()).as("from its past").isFalse();
  }

  @Test
  void takesAnIdleGpuThatNobodyHoldsForIdle() {
    MemorySeries idle = minutes(60, i -> 0.25);
    assertThat(ask(idle, List.of()).peakUpper()).isEqualTo(MemorySize.ofMiB(256));
    // whoever is granted it may begin at any moment
    assertThat(ask(idle, List.of(MemorySize.ofGiB(8))).peakUpper().toGiB()).isGreaterThan(8);
  }

  @Test
  void bridgesAGap() {
    MemorySeries before = minutes(80, i -> 12);
    List<MemorySample> samples = new ArrayList<>(before.samples());
    for (int i = 110; i < 130; i++) {
      samples.add(new MemorySample(START.plusSeconds(60L * i), MemorySize.ofGiB(12)));
    }
    MemoryForecast.Applies answer = ask(new MemorySeries(samples));
    assertThat(answer.peakUpper().toGiB()).isBetween(12.0, 16.0);
    assertThat(answer.reason()).contains("1 gap");
  }

  @Test
  void answersAlikeWhenSamplesAreRepeatedByAFasterScrape() {
    MemorySeries slow = minutes(120, i -> 10 + i * 7 % 5);
    List<MemorySample> doubled = new ArrayList<>();
    for (MemorySample sample : slow.samples()) {
      doubled.add(new MemorySample(sample.at().minusSeconds(15), sample.used()));
      doubled.add(sample);
    }
    MemoryForecast.Applies once = ask(slow);
    MemoryForecast.Applies twice = ask(new MemorySeries(doubled));
    assertThat(twice.peakUpper()).isEqualTo(once.peakUpper());
    assertThat(twice.next()).isEqualTo(once.next());
  }

  @Test
  void isNeverAboveCapacity() {
    assertThat(ask(minutes(100, i -> i % 7 == 0 ? 39.9 : 1)).peakUpper()).isLessThanOrEqualTo(CARD);
    assertThat(ask(minutes(100, i -> 55)).peakUpper()).isEqualTo(CARD);
  }

  @Test
  void statesItsCoverageAndHorizon() {
    MemoryForecast answer =
        bound.forecast(new ForecastRequest(minutes(60, i -> 5), CARD, null, START));
    assertThat(answer.horizon()).isEqualTo(Duration.ofMinutes(10));
    assertThat(applies(answer).coverage())
        .satisfies(coverage -> assertThat(coverage.fraction()).isEqualTo(0.95));
  }

  @Test
  void passesOnWithoutSamples() {
    assertThat(
            passReason(bound.forecast(new ForecastRequest(MemorySeries.EMPTY, CARD, null, START))))
        .isEqualTo("no samples");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PeakBound(PeakModelFile.shipped(), Duration.ZERO));
  }
}
