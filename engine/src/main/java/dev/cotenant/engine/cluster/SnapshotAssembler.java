package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.MemoryForecaster;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Turns readings into a snapshot: applies the forecasters to every series that is fresh, and says
 * so where one is old or missing.
 */
public final class SnapshotAssembler {
  /** Number of GPUs from which parallel computation pays off. */
  private static final int MANY = 500;

  /** Of a single sample: every tenant counts as young. */
  private static final Duration UNKNOWN_WINDOW = Duration.ofDays(1);

  private static final Comparator<GpuReading> BY_NODE_AND_UUID =
      Comparator.comparing(GpuReading::node).thenComparing(GpuReading::uuid);

  private final List<MemoryForecaster> forecasters;
  private final int windowSamples;
  private final Duration maxMetricAge;
  private final @Nullable Duration grantsBeyond;

  /**
   * @param forecasters in order of use
   * @param windowSamples how many of the newest samples make a full window: its peak counts, and a
   *     tenant younger than it is not in the series yet
   * @param maxMetricAge the age beyond which the newest sample is stale
   */
  public SnapshotAssembler(
      List<MemoryForecaster> forecasters, int windowSamples, Duration maxMetricAge) {
    this(forecasters, windowSamples, maxMetricAge, null);
  }

  private SnapshotAssembler(
      List<MemoryForecaster> forecasters,
      int windowSamples,
      Duration maxMetricAge,
      @Nullable Duration grantsBeyond) {
    this.forecasters = List.copyOf(forecasters);
    this.windowSamples = windowSamples;
    this.maxMetricAge = maxMetricAge;
    this.grantsBeyond = grantsBeyond;
  }

  /**
   * The same, with predicted peaks that count where tenants stay beside a newcomer for longer than
   * {@code time}.
   */
  public SnapshotAssembler withGrantsBeyond(Duration time) {
    return new SnapshotAssembler(forecasters, windowSamples, maxMetricAge, time);
  }

  /**
   * The snapshot at {@code now}, which is also what ages are measured against. GPUs come by node
   * and uuid, the order in which decisions want them, so that they need not sort.
   */
  public ClusterSnapshot assemble(Instant now, List<GpuReading> readings) {
    List<GpuReading> sorted = readings.stream().sorted(BY_NODE_AND_UUID).toList();
    Stream<GpuReading> stream = sorted.size() < MANY ? sorted.stream() : sorted.parallelStream();
    return new ClusterSnapshot(now, stream.map(r -> snapshot(r, now)).toList());
  }

  /** The forecasters for a GPU that is held as {@code tenancy} says. */
  public ForecastRequest request(GpuReading reading, Tenancy tenancy, Instant now) {
    return new ForecastRequest(reading.usedMemory(), reading.capacity(), granted(tenancy), now);
  }

  private GpuSnapshot snapshot(GpuReading reading, Instant now) {
    return new GpuSnapshot(
        reading.uuid(),
        reading.node(),
        reading.device(),
        reading.capacity(),
        reading.tenancy(),
        observation(reading, now),
        reading.observedUtilization(),
        reading.index());
  }

  private MemoryObservation observation(GpuReading reading, Instant now) {
    MemorySeries window = reading.usedMemory().newest(windowSamples);
    if (window.isEmpty()) {
      return new MemoryObservation.Unmeasured();
    }
    MemorySample last = window.samples().getLast();
    Duration measured = Duration.between(last.at(), now);
    Duration age = measured.isNegative() ? Duration.ZERO : measured;
    Optional<MemoryObservation> stale = stale(age);
    if (stale.isPresent()) {
      return stale.get();
    }
    ForecastRequest request = request(reading, reading.tenancy(), now);
    List<MemoryForecast> forecasts = forecasters.stream().map(f -> f.forecast(request)).toList();
    return new MemoryObservation.Measured(
        last.used(), peak(window), age, windowLength(window, now), forecasts, grantsBeyond);
  }

  /** What is known of memory whose newest sample is {@code age} old, if that is too old. */
  Optional<MemoryObservation> stale(Duration age) {
    return age.compareTo(maxMetricAge) > 0
        ? Optional.of(new MemoryObservation.Stale(age, maxMetricAge))
        : Optional.empty();
  }

  /** How far a full window reaches back; where samples are few, how far it will. */
  private Duration windowLength(MemorySeries window, Instant now) {
    List<MemorySample> samples = window.samples();
    Duration seen = Duration.between(samples.getFirst().at(), now);
    if (samples.size() < 2) {
      return UNKNOWN_WINDOW;
    }
    Duration spanned = Duration.between(samples.getFirst().at(), samples.getLast().at());
    Duration full = spanned.multipliedBy(windowSamples).dividedBy(samples.size() - 1);
    return samples.size() >= windowSamples || seen.compareTo(full) > 0 ? seen : full;
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
