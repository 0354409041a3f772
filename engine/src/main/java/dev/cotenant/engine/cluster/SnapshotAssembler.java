package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.CorrelationBasedPrediction;
import dev.cotenant.forecast.ForecastQuestion;
import dev.cotenant.forecast.MemoryForecaster;
import dev.cotenant.forecast.ResAwareSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Turns readings into a snapshot: asks the forecasters about every series that is fresh, and says
 * so where one is old or missing.
 */
public final class SnapshotAssembler {
  private final List<MemoryForecaster> forecasters;
  private final int windowSamples;
  private final Duration maxMetricAge;

  /**
   * Of the chain in [ResAware, section 5] a decision may ask its second stage, CBP. The first,
   * resource-agnostic one needs no series and is the decision's own; the third, PP, looks one
   * sample ahead and is left out, since a decision lasts for minutes (docs/adr/0007).
   *
   * @param settings of the chain
   * @param maxMetricAge the age beyond which the newest sample is stale
   */
  public SnapshotAssembler(ResAwareSettings settings, Duration maxMetricAge) {
    this.forecasters = List.of(new CorrelationBasedPrediction(settings));
    this.windowSamples = settings.windowSamples();
    this.maxMetricAge = maxMetricAge;
  }

  /** The snapshot at {@code now}, which is also what ages are measured against. */
  public ClusterSnapshot assemble(Instant now, List<GpuReading> readings) {
    return new ClusterSnapshot(now, readings.stream().map(r -> snapshot(r, now)).toList());
  }

  /** What forecasters are asked about a GPU that is held as {@code tenancy} says. */
  public ForecastQuestion question(GpuReading reading, Tenancy tenancy, Instant now) {
    return new ForecastQuestion(
        reading.usedMemory().newest(windowSamples), reading.capacity(), granted(tenancy), now);
  }

  private GpuSnapshot snapshot(GpuReading reading, Instant now) {
    return new GpuSnapshot(
        reading.uuid(),
        reading.node(),
        reading.device(),
        reading.capacity(),
        reading.tenancy(),
        outlook(reading, now),
        reading.observedUtilization());
  }

  private MemoryOutlook outlook(GpuReading reading, Instant now) {
    MemorySeries window = reading.usedMemory().newest(windowSamples);
    if (window.isEmpty()) {
      return new MemoryOutlook.Unmeasured();
    }
    MemorySample last = window.samples().getLast();
    Duration age = Duration.between(last.at(), now);
    if (age.compareTo(maxMetricAge) > 0) {
      return new MemoryOutlook.Stale(age, maxMetricAge);
    }
    ForecastQuestion question = question(reading, reading.tenancy(), now);
    List<MemoryForecast> forecasts = forecasters.stream().map(f -> f.forecast(question)).toList();
    return new MemoryOutlook.Measured(
        last.used(),
        peak(window),
        age,
        Duration.between(window.samples().getFirst().at(), now),
        forecasts);
  }

  private static MemorySize peak(MemorySeries window) {
    return window.samples().stream()
        .map(MemorySample::used)
        .reduce(MemorySize.ZERO, MemorySize::max);
  }

  private static List<MemorySize> granted(Tenancy tenancy) {
    return switch (tenancy) {
      case Tenancy.Shared(List<Tenant> tenants) ->
          tenants.stream().map(tenant -> tenant.peakMemory().upper()).toList();
      case Tenancy.Exclusive _, Tenancy.Mig _ -> List.of();
    };
  }
}
