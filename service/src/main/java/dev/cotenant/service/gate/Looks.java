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
 * Does small tasks again and again, some at every look, some at every sixth; what fails is logged
 * and tried again.
 */
final class Looks {
  private static final Logger LOG = Logger.getLogger(Looks.class);
  private static final int LOOKS_PER_CHORE = 6;

  /** Reservations that are over are taken from eight ConfigMaps, one after the other. */
  private static final Duration CHORE_AT_MOST = Duration.ofMinutes(2);

  private final Duration every;
  private final Runnable task;
  private final List<Runnable> chores = new CopyOnWriteArrayList<>();
  private @Nullable Loop loop;
  private int looked;

  /**
   * @param every pause between two looks
   * @param task is done at every look
   */
  Looks(Duration every, Runnable task) {
    this.every = every;
    this.task = task;
  }

  /** Has something done at every sixth look. */
  void add(Runnable chore) {
    chores.add(chore);
  }

  void start(Supervisor supervisor) {
    loop = supervisor.start(LoopPlan.restarted("gate-looks", CHORE_AT_MOST), this::look);
  }

  private void look(Heartbeat heart) throws InterruptedException {
    heart.rest(every);
    looked++;
    attempt(task);
    if (looked % LOOKS_PER_CHORE == 0) {
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
      LOG.error("A periodic task has failed and is tried again", defect);
    }
  }

  void stop() {
    if (loop != null) {
      loop.close();
    }
  }
}
