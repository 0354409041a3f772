package dev.cotenant.admission.supervision;

import dev.cotenant.admission.supervision.LoopState.Condition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A supervised loop with its thread, its heartbeat, and the watchdog's reaction. */
public final class Loop implements AutoCloseable {
  /** Restarts within {@link #WINDOW} before the process ends: pauses of 0, 1, 2, 4 and 8 s. */
  static final int RESTARTS = 5;

  static final Duration WINDOW = Duration.ofMinutes(10);

  /** How long an interrupted thread may take to end: its requests are cut by the interrupt. */
  static final Duration GRACE = Duration.ofSeconds(3);

  private final LoopPlan plan;
  private final Step step;
  private final Supervisor supervisor;
  private final byte[] lastWords;
  private final Heartbeat heart = new Heart();
  private final Deque<Long> restarts = new ArrayDeque<>();
  private volatile Thread thread;
  private volatile @Nullable Throwable cause;
  private volatile boolean closed;

  /** In the watchdog's time, from which silence counts. */
  private volatile long beatAtMillis;

  /** In the watchdog's time; negative while the loop is not stuck. */
  private volatile long stuckAtMillis = -1;

  Loop(LoopPlan plan, Step step, Supervisor supervisor) {
    this.plan = plan;
    this.step = step;
    this.supervisor = supervisor;
    lastWords =
        ("cotenant: the loop '" + plan.name() + "' has failed, so the process ends\n")
            .getBytes(StandardCharsets.UTF_8);
    thread = unstarted();
  }

  private Thread unstarted() {
    return Thread.ofPlatform()
        .daemon()
        .name(plan.name())
        .uncaughtExceptionHandler((_, failure) -> died(failure))
        .unstarted(this::run);
  }

  private final class Heart implements Heartbeat {
    @Override
    public void beat() {
      beatAtMillis = supervisor.nowMillis();
    }

    @Override
    public void beatBefore(Duration pause) {
      beatAtMillis = supervisor.nowMillis() + pause.toMillis();
    }

    @Override
    public void finish() {
      closed = true;
    }
  }

  void start() {
    heart.beat();
    thread.start();
  }

  private void run() {
    try {
      while (!closed) {
        heart.beat();
        step.run(heart);
      }
    } catch (InterruptedException interrupted) {
      died(interrupted);
    }
  }

  /** Allocates nothing before it knows that memory is available. */
  private void died(Throwable failure) {
    if (failure instanceof VirtualMachineError) {
      cause = failure;
      supervisor.end(this, failure);
    } else if (!closed) {
      cause = failure;
      if (plan.whenDown() == LoopPlan.WhenDown.END_PROCESS) {
        supervisor.end(this, failure);
      }
    }
  }

  /** The watchdog's check, on its thread; returns whether to continue watching. */
  boolean look() {
    if (closed) {
      return thread.isAlive();
    }
    if (!thread.isAlive()) {
      heal();
    } else if (cause == null && silence().compareTo(plan.longestSilence()) > 0) {
      unblock();
    } else {
      stuckAtMillis = -1;
    }
    return true;
  }

  private void heal() {
    Throwable why = cause();
    long now = supervisor.nowMillis();
    restarts.removeIf(at -> now - at > WINDOW.toMillis());
    if (plan.whenDown() == LoopPlan.WhenDown.END_PROCESS || restarts.size() >= RESTARTS) {
      supervisor.end(this, why);
    } else if (restarts.isEmpty() || now - restarts.getLast() >= pauseMillis()) {
      restarts.addLast(now);
      stuckAtMillis = -1;
      cause = null;
      thread = unstarted();
      start();
      supervisor.restarted(this, why);
    }
  }

  private long pauseMillis() {
    return 1_000L << (restarts.size() - 1);
  }

  private void unblock() {
    Duration silence = silence();
    long now = supervisor.nowMillis();
    if (plan.whenDown() == LoopPlan.WhenDown.END_PROCESS) {
      stuckAtMillis = now;
      supervisor.end(this, stuck(silence));
    } else if (stuckAtMillis < 0) {
      stuckAtMillis = now;
      supervisor.stuck(this, silence);
      thread.interrupt();
    } else if (now - stuckAtMillis > GRACE.toMillis()) {
      // Two threads in one loop could do everything twice.
      supervisor.end(this, stuck(silence));
    }
  }

  private StuckException stuck(Duration silence) {
    return new StuckException(silence, thread.getStackTrace());
  }

  private Throwable cause() {
    Throwable known = cause;
    return known == null ? new IllegalStateException("its thread ended without a cause") : known;
  }

  /** Whether it works, and for how long it has been silent. */
  LoopState state() {
    Condition condition = Condition.ALIVE;
    if (!closed && (cause != null || !thread.isAlive())) {
      condition = Condition.DEAD;
    } else if (!closed && silence().compareTo(plan.longestSilence()) > 0) {
      condition = Condition.STUCK;
    }
    return new LoopState(name(), condition, silence());
  }

  private Duration silence() {
    return Duration.ofMillis(Math.max(0, supervisor.nowMillis() - beatAtMillis));
  }

  String name() {
    return plan.name();
  }

  boolean isClosed() {
    return closed;
  }

  byte[] lastWords() {
    return lastWords;
  }

  /** Interrupts the current round and ends the loop. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }

  /** Ends the loop and waits for its thread, but not for ever. */
  public void close(Duration patience) {
    close();
    awaitEnd(patience);
  }

  /** Waits until the loop's thread has ended, but not for ever. */
  public void awaitEnd(Duration patience) {
    try {
      thread.join(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
