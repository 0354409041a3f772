package dev.cotenant.service.cluster;

import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.ReadingsSource;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Gauges of current state: grants by state; per GPU the age of its newest sample, used and usable
 * memory, the forecast bound and its age. NaN is what is not known: a stale GPU has an age and
 * nothing else.
 */
public final class StandingGauges {
  private static final double MILLIS_PER_SECOND = 1_000;
  private static final String BYTES = "bytes";
  private static final String SECONDS = "seconds";

  private final MeterRegistry meters;
  private final Set<String> shown = new HashSet<>();

  public StandingGauges(MeterRegistry meters) {
    this.meters = meters;
  }

  /** Shows the ledger's grants. */
  public void show(Ledger ledger) {
    grants(ledger, "allocated", LedgerEntry.Allocated.class::isInstance);
    grants(ledger, "bound", LedgerEntry.Bound.class::isInstance);
  }

  /** Shows the GPUs that are not shown yet; one caller at a time. */
  public void show(ReadingsSource readings) {
    for (GpuReading gpu : readings.readings()) {
      if (shown.add(gpu.uuid())) {
        show(new Shown(readings, gpu.uuid()));
      }
    }
  }

  private void show(Shown gpu) {
    gauge("cotenant.gpu.memory.sample.age", SECONDS, gpu, Shown::sampleAge);
    gauge("cotenant.gpu.memory.capacity", BYTES, gpu, Shown::capacity);
    gauge("cotenant.gpu.memory.used", BYTES, gpu, Shown::used);
    gauge("cotenant.gpu.memory.forecast.upper", BYTES, gpu, Shown::forecastUpper);
    gauge("cotenant.gpu.memory.forecast.age", SECONDS, gpu, Shown::forecastAge);
  }

  private void gauge(String name, String unit, Shown gpu, Function<Shown, Optional<Double>> value) {
    Gauge.builder(name, gpu, of -> value.apply(of).orElse(Double.NaN))
        .baseUnit(unit)
        .tag("gpu", gpu.uuid)
        .strongReference(true)
        .register(meters);
  }

  private void grants(Ledger ledger, String state, Predicate<LedgerEntry.State> isInState) {
    Gauge.builder(
            "cotenant.immediate.grants",
            ledger,
            all -> all.entries().stream().filter(e -> isInState.test(e.state())).count())
        .tag("state", state)
        .strongReference(true)
        .register(meters);
  }

  /** One GPU as it can be read now. */
  private record Shown(ReadingsSource readings, String uuid) {
    Optional<Double> sampleAge() {
      return readings.age(uuid).map(Shown::seconds);
    }

    Optional<Double> capacity() {
      return readings.find(uuid).map(gpu -> bytes(gpu.capacity()));
    }

    Optional<Double> used() {
      return measured().map(memory -> bytes(memory.lastUsed()));
    }

    /** Estimate of the first estimator that applies, as in decisions. */
    Optional<Double> forecastUpper() {
      return measured().stream()
          .flatMap(memory -> memory.forecasts().stream())
          .map(MemoryForecast::result)
          .filter(MemoryForecast.Applies.class::isInstance)
          .map(result -> bytes(((MemoryForecast.Applies) result).peakUpper()))
          .findFirst();
    }

    Optional<Double> forecastAge() {
      return forecastUpper().flatMap(_ -> readings.forecastAge()).map(Shown::seconds);
    }

    private Optional<MemoryObservation.Measured> measured() {
      return readings
          .find(uuid)
          .map(gpu -> gpu.memory())
          .filter(MemoryObservation.Measured.class::isInstance)
          .map(MemoryObservation.Measured.class::cast);
    }

    private static double bytes(MemorySize size) {
      return size.bytes();
    }

    private static double seconds(Duration duration) {
      return duration.toMillis() / MILLIS_PER_SECOND;
    }
  }
}
