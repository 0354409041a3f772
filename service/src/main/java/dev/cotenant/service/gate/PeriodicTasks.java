package dev.cotenant.service.gate;

import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs small tasks periodically, some in every period, some in every sixth. Failures are logged,
 * and the task runs again in its next period.
 */
final class PeriodicTasks {
  private static final Logger LOG = Logger.getLogger(PeriodicTasks.class);
  private static final int PERIODS_PER_CHORE = 6;

  /** Limit for removing expired reservations from eight ConfigMaps in sequence. */
  private static final Duration CHORE_AT_MOST = Duration.ofMinutes(2);

  private final Duration every;
  private final Runnable task;
  private final List<Runnable> chores = new CopyOnWriteArrayList<>();
  private @Nullable Loop loop;
  private int periods;

  /**
   * @param every pause between two periods
   * @param task runs in every period
   */
  PeriodicTasks(Duration every, Runnable task) {
    this.every = every;
    this.task = task;
  }

  /** Adds a task of every sixth period. */
  void add(Runnable chore) {
    chores.add(chore);
  }

  void start(Supervisor supervisor) {
    loop = supervisor.start(LoopPlan.restarted("gate-housekeeping", CHORE_AT_MOST), this::runDue);
  }

  private void runDue(Heartbeat heart) throws InterruptedException {
    heart.rest(every);
    periods++;
    attempt(task);
    if (periods % PERIODS_PER_CHORE == 0) {
      for (Runnable chore : chores) {
        heart.beat();
        attempt(chore);
      }
    }
  }

  /** A defect of one task is no reason to leave out the others. */
  private static void attempt(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException defect) {
      LOG.error("A periodic task has failed and will be retried", defect);
    }
  }

  void stop() {
    if (loop != null) {
      loop.close();
    }
  }
}
