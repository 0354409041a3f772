package dev.cotenant.service.lifecycle;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;

/**
 * Deletes what was measured in namespaces once it is too old. The age is the time since this
 * service received it, by its own clock. Called more often than once a minute, by one thread.
 */
public final class MeasurementExpiry {
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final Store store;
  private final Duration retention;
  private final MeterRegistry meters;
  private final InstantSource clock;
  private Instant lookedAt = Instant.EPOCH;

  /** Port: every measurement of namespaces. */
  @FunctionalInterface
  public interface Store {
    /**
     * Deletes what was received before an instant, and constants of servers that no start is left
     * for; shared runs stay.
     *
     * @return numbers of deleted rows by their kind
     * @throws dev.cotenant.engine.lifecycle.StoreException where the database cannot be used;
     *     nothing is deleted then
     */
    Map<String, Integer> deleteBefore(Instant instant);
  }

  /**
   * @param retention age at which a measurement is deleted
   */
  public MeasurementExpiry(
      Store store, Duration retention, MeterRegistry meters, InstantSource clock) {
    this.store = store;
    this.retention = retention;
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * Deletes, at the first call and once a minute.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException where the database cannot be used; the
   *     next call tries again
   */
  public void expire() {
    Instant now = clock.instant();
    if (Duration.between(lookedAt, now).abs().compareTo(INTERVAL) >= 0) {
      store
          .deleteBefore(now.minus(retention))
          .forEach((kind, rows) ->
              meters.counter("cotenant.measurements.expired", "kind", kind).increment(rows));
      lookedAt = now;
    }
  }
}
