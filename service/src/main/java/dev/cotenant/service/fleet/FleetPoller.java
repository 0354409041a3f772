package dev.cotenant.service.fleet;

import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.fleet.Fleets.Due;
import dev.cotenant.engine.lifecycle.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Decides about watched fleets when their periods are over. A failure is logged once until it is
 * over, one of the store counted; the fleets are looked at again after the interval.
 */
public final class FleetPoller implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(FleetPoller.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** A fleet of a thousand workloads, each a request to a slow metrics server. */
  private static final Duration SILENT_AT_MOST = Duration.ofMinutes(10);

  private final Supplier<List<Due>> fleets;
  private final MeterRegistry meters;
  private final Set<String> said = new TreeSet<>();
  private @Nullable Loop loop;

  /**
   * @param fleets whose period is over
   */
  public FleetPoller(Supplier<List<Due>> fleets, MeterRegistry meters) {
    this.fleets = fleets;
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
              look(heart);
            });
  }

  private void look(Heartbeat heart) {
    Set<String> failing = new TreeSet<>();
    try {
      for (Due due : fleets.get()) {
        heart.beat();
        decide(due, failing);
      }
    } catch (StoreException e) {
      meters.counter("cotenant.store.failures").increment();
      say(failing, String.valueOf(e.getMessage()), null);
    }
    said.retainAll(failing);
  }

  /** What keeps one fleet from a decision keeps no other from its own. */
  private void decide(Due due, Set<String> failing) {
    try {
      due.decide().run();
    } catch (StoreException e) {
      throw e;
    } catch (InputException e) {
      say(failing, "Fleet " + due.name() + ": " + e.getMessage(), null);
    } catch (RuntimeException defect) { // the loop would end with it
      say(failing, "Deciding about fleet " + due.name() + " failed on a defect: " + defect, defect);
    }
  }

  private void say(Set<String> failing, String message, @Nullable RuntimeException defect) {
    failing.add(message);
    if (said.add(message)) {
      LOG.error(message, defect);
    }
  }

  @Override
  public void close() {
    Loop running = loop;
    if (running != null) {
      running.close(PATIENCE);
    }
  }
}
