package dev.cotenant.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.CorrelationBasedPrediction;
import dev.cotenant.forecast.ResAwareSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SnapshotAssemblerTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  private final SnapshotAssembler assembler =
      new SnapshotAssembler(
          List.of(new CorrelationBasedPrediction(ResAwareSettings.DEFAULT)),
          ResAwareSettings.DEFAULT.windowSamples(),
          Duration.ofMinutes(2));

  @Test
  void asksTheForecastersAboutAFreshSeries() {
    // Forty samples of 10 GiB, the newest 30 s old: a steady series, so CBP answers 10 GiB.
    MemoryObservation observation = observation(series(40, Duration.ofSeconds(30), 10));

    assertThat(observation)
        .asInstanceOf(type(MemoryObservation.Measured.class))
        .satisfies(m -> assertThat(m.lastUsed()).isEqualTo(MemorySize.ofGiB(10)))
        .satisfies(m -> assertThat(m.windowPeak()).isEqualTo(MemorySize.ofGiB(10)))
        .satisfies(m -> assertThat(m.age()).isEqualTo(Duration.ofSeconds(30)))
        .extracting(m -> m.forecasts().getFirst())
        .satisfies(f -> assertThat(f.estimator()).isEqualTo("cbp"))
        .extracting(MemoryForecast::result)
        .asInstanceOf(type(MemoryForecast.Applies.class))
        .satisfies(a -> assertThat(a.peak()).isEqualTo(MemorySize.ofGiB(10)));
  }

  @Test
  void makesNoForecastOfOldSamples() {
    assertThat(observation(series(40, Duration.ofSeconds(121), 10)))
        .isEqualTo(new MemoryObservation.Stale(Duration.ofSeconds(121), Duration.ofMinutes(2)));
    assertThat(observation(series(40, Duration.ofMinutes(2), 10)))
        .isInstanceOf(MemoryObservation.Measured.class);
  }

  @Test
  void takesAWindowForFullOnlyOnceItIs() {
    // 40 samples every 30 s span 19.5 min; 60 will span half an hour.
    assertThat(observation(series(40, Duration.ZERO, 10)))
        .asInstanceOf(type(MemoryObservation.Measured.class))
        .extracting(MemoryObservation.Measured::window)
        .isEqualTo(Duration.ofMinutes(30));
    assertThat(observation(series(60, Duration.ZERO, 10)))
        .asInstanceOf(type(MemoryObservation.Measured.class))
        .extracting(MemoryObservation.Measured::window)
        .isEqualTo(Duration.ofSeconds(59 * 30));
    assertThat(observation(series(1, Duration.ZERO, 10)))
        .asInstanceOf(type(MemoryObservation.Measured.class))
        .extracting(MemoryObservation.Measured::window)
        .isEqualTo(Duration.ofDays(1));
  }

  @Test
  void countsASampleOfAClockThatRunsAheadAsNew() {
    assertThat(observation(series(40, Duration.ofSeconds(-10), 10)))
        .asInstanceOf(type(MemoryObservation.Measured.class))
        .extracting(MemoryObservation.Measured::age)
        .isEqualTo(Duration.ZERO);
  }

  @Test
  void saysThatThereAreNoSamples() {
    assertThat(observation(MemorySeries.EMPTY)).isEqualTo(new MemoryObservation.Unmeasured());
  }

  private MemoryObservation observation(MemorySeries series) {
    GpuReading reading =
        new GpuReading(
            "GPU-1",
            "n1",
            DeviceCatalogue.builtIn().require("a100-40gb"),
            MemorySize.ofGiB(39),
            new Tenancy.Shared(List.of()),
            series,
            null);
    return assembler.assemble(NOW, List.of(reading)).gpus().getFirst().memory();
  }

  private static MemorySeries series(int count, Duration age, long gib) {
    return new MemorySeries(
        IntStream.range(0, count)
            .mapToObj(i ->
                new MemorySample(
                    NOW.minus(age).minusSeconds(30L * (count - 1 - i)), MemorySize.ofGiB(gib)))
            .toList());
  }
}
