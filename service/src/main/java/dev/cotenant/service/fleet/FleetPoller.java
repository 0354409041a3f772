package dev.cotenant.service.fleet;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.engine.lifecycle.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Decides about watched fleets when their periods are over. A failure of the store is logged once
 * until it changes, and counted; the fleets are looked at again after the interval.
 */
public final class FleetPoller implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(FleetPoller.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Sixteen fleets of a thousand workloads, each a request to a slow metrics server. */
  private static final Duration SILENT_AT_MOST = Duration.ofMinutes(10);

  private final Supplier<List<String>> decide;
  private final MeterRegistry meters;
  private String lastFailure = "";
  private @Nullable Loop loop;

  /**
   * @param decide about every fleet whose period is over; answers why it could not about some
   */
  public FleetPoller(Supplier<List<String>> decide, MeterRegistry meters) {
    this.decide = decide;
    this.meters = meters;
  }

  /**
   * Looks in the background.
   *
   * @param interval between two looks
   */
  public void start(Duration interval, Supervisor supervisor) {
    loop =
        supervisor.start(
            LoopPlan.restarted("fleets", SILENT_AT_MOST),
            heart -> {
              heart.rest(interval);
              look();
            });
  }

  private void look() {
    try {
      List<String> failures = decide.get();
      if (failures.isEmpty()) {
        lastFailure = "";
      } else {
        failed(String.join(" ", failures), null);
      }
    } catch (StoreException e) {
      meters.counter("cotenant.store.failures").increment();
      failed(String.valueOf(e.getMessage()), null);
    } catch (RuntimeException defect) { // the loop would end with it
      failed("Deciding about fleets failed on a defect: " + defect, defect);
    }
  }

  private void failed(String message, @Nullable RuntimeException defect) {
    if (!message.equals(lastFailure)) {
      LOG.error(message, defect);
    }
    lastFailure = message;
  }

  @Override
  public void close() {
    Loop running = loop;
    if (running != null) {
      running.close(PATIENCE);
    }
  }
}
