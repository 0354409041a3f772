package dev.cotenant.service.lifecycle;

import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.engine.lifecycle.Trainings;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Polls the store on two threads: one serves the promoted version and runs the chores, one runs
 * trainings. A failure of the store is logged once until it changes, counted each time, and the
 * store is polled again after the interval.
 */
public final class LifeCyclePoller implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(LifeCyclePoller.class);
  private static final int ENOUGH_NUDGES = 1;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * Between two chores: the slowest reads the graphs of all models that other replicas registered.
   * A database that hangs is cut off long before.
   */
  private static final Duration CHORE_AT_MOST = Duration.ofMinutes(5);

  /** A training takes seconds to minutes, and another replica takes over one that is silent. */
  private static final Duration TRAINING_AT_MOST = Duration.ofMinutes(30);

  private final Serving serving;
  private final Chores chores;
  private final Trainings trainings;
  private final MeterRegistry meters;
  private final Semaphore nudges = new Semaphore(0);
  private @Nullable Loop looking;
  private @Nullable Loop training;
  private volatile String lastFailure = "";

  /**
   * Work of every poll, in this order; a StoreException ends the poll, another exception is logged
   * and the next chore runs.
   */
  public record Chores(List<Runnable> all) {
    public Chores {
      all = List.copyOf(all);
    }
  }

  public LifeCyclePoller(
      Serving serving, Trainings trainings, Chores chores, MeterRegistry meters) {
    this.serving = serving;
    this.chores = chores;
    this.trainings = trainings;
    this.meters = meters;
  }

  /**
   * Polls once, so that the first request meets the promoted version, then in the background.
   *
   * @param interval between two polls
   */
  public void start(Duration interval, Supervisor supervisor) {
    look(() -> {});
    looking =
        supervisor.start(
            LoopPlan.restarted("life-cycle", CHORE_AT_MOST),
            heart -> {
              heart.rest(interval);
              look(heart::beat);
            });
    training =
        supervisor.start(
            LoopPlan.restarted("training", TRAINING_AT_MOST), heart -> trainNext(interval, heart));
  }

  /** A training is queued: it runs at once and not after the interval. */
  public void nudge() {
    if (nudges.availablePermits() < ENOUGH_NUDGES) {
      nudges.release();
    }
  }

  private void trainNext(Duration interval, Heartbeat heart) throws InterruptedException {
    heart.beatBefore(interval);
    boolean nudged = nudges.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS);
    heart.beat();
    LOG.tracef("looking for a training, nudged: %s", nudged);
    train();
  }

  private void look(Runnable alive) {
    try {
      attempt(() -> report(serving.refresh()));
      for (Runnable chore : chores.all) {
        alive.run();
        attempt(chore);
      }
      if (!lastFailure.isEmpty()) {
        LOG.info("The store can be used again");
      }
      lastFailure = "";
    } catch (StoreException e) {
      failed(e);
    }
  }

  /** A failing store fails the other chores too; another failure concerns this one alone. */
  private static void attempt(Runnable chore) {
    try {
      chore.run();
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException defect) { // the loop would end with it
      LOG.error("Polling the store failed on a defect", defect);
    }
  }

  private void report(Serving.Refreshed refreshed) {
    switch (refreshed) {
      case Serving.Refreshed.Same _ -> {}
      case Serving.Refreshed.Swapped(Serving.Served served) -> {
        meters.counter("cotenant.predictor.swaps").increment();
        LOG.infof("Predictor %s is active", served.label());
      }
      case Serving.Refreshed.Unusable(String message) -> {
        if (!message.equals(lastFailure)) {
          LOG.errorf(
              "The promoted predictor cannot be loaded, %s stays active: %s",
              serving.served().label(), message);
        }
        meters.counter("cotenant.predictor.unusable").increment();
      }
    }
  }

  private void train() {
    try {
      trainings.runNext().ifPresent(this::ended);
    } catch (StoreException e) {
      failed(e);
    } catch (RuntimeException defect) { // the loop would end with it
      LOG.error("A training failed on a defect", defect);
    }
  }

  private void ended(Training.Outcome outcome) {
    String state = outcome.state().name().toLowerCase(Locale.ROOT);
    meters.counter("cotenant.trainings", "outcome", state).increment();
    outcome
        .quarantined()
        .forEach((target, rows) ->
            meters
                .counter("cotenant.training.quarantined.rows", "target", target.key())
                .increment(rows));
    LOG.infof("Training %s: %s", state, outcome.message());
  }

  private void failed(StoreException e) {
    meters.counter("cotenant.store.failures").increment();
    String message = String.valueOf(e.getMessage());
    if (!message.equals(lastFailure)) {
      LOG.warnf("%s", message);
    }
    lastFailure = message;
  }

  @Override
  public void close() {
    end(looking);
    end(training);
  }

  private static void end(@Nullable Loop loop) {
    if (loop != null) {
      loop.close(PATIENCE);
    }
  }
}
