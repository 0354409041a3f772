package dev.cotenant.service.cluster;

import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.ReadingsSource;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.Predicate;

/** What can be read at any time: grants by state, and how old each GPU's newest sample is. */
public final class StandingGauges {
  private static final String AGE = "cotenant.metric.age";

  private final MeterRegistry meters;

  public StandingGauges(MeterRegistry meters) {
    this.meters = meters;
  }

  /** Shows the ledger's grants. */
  public void show(Ledger ledger) {
    grants(ledger, "held", LedgerEntry.Held.class::isInstance);
    grants(ledger, "bound", LedgerEntry.Bound.class::isInstance);
  }

  /** Shows the age of samples of GPUs that are not shown yet; NaN where a GPU has none. */
  public void show(ReadingsSource readings) {
    for (GpuReading gpu : readings.readings()) {
      if (meters.find(AGE).tag("gpu", gpu.uuid()).gauge() == null) {
        showAge(readings, gpu.uuid());
      }
    }
  }

  private void showAge(ReadingsSource readings, String uuid) {
    Gauge.builder(AGE, readings, source -> ageSeconds(source, uuid))
        .baseUnit("seconds")
        .tag("gpu", uuid)
        .strongReference(true)
        .register(meters);
  }

  private void grants(Ledger ledger, String state, Predicate<LedgerEntry.State> isInState) {
    Gauge.builder(
            "cotenant.ledger.grants",
            ledger,
            all -> all.entries().stream().filter(e -> isInState.test(e.state())).count())
        .tag("state", state)
        .strongReference(true)
        .register(meters);
  }

  private static double ageSeconds(ReadingsSource readings, String uuid) {
    return readings.age(uuid).map(StandingGauges::seconds).orElse(Double.NaN);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1_000.0;
  }
}
