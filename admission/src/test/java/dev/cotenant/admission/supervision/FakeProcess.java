package dev.cotenant.admission.supervision;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A process whose time passes by hand and whose end is noted. */
public final class FakeProcess implements SupervisionListener {
  /** What takes longer passes in shorter pauses. */
  private static final Duration LONG = Duration.ofMinutes(10);

  private final AtomicLong nanos = new AtomicLong();
  private final List<String> lastWords = new CopyOnWriteArrayList<>();
  private final List<String> heard = new CopyOnWriteArrayList<>();
  public final Supervisor supervisor =
      new Supervisor(
          new Supervisor.Ports(
              nanos::get, words -> lastWords.add(new String(words, StandardCharsets.UTF_8)), this));

  /** Time passes, second by second, with a look of the watchdog after each. */
  public void pass(Duration time) {
    for (long second = 0; second < time.toSeconds(); second++) {
      jump(Duration.ofSeconds(1));
    }
  }

  /** Time passes at once, as for a process that was stopped; one look afterwards. */
  public void jump(Duration time) {
    nanos.addAndGet(time.toNanos());
    supervisor.look();
  }

  /** Time passes without a look of the watchdog. */
  public void passUnwatched(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /**
   * Lets time pass until a loop that a fault has hit works again or the process has ended, and
   * notes whether the loop was shown as down meanwhile.
   *
   * @return what became of it
   * @throws AssertionError when neither is so within {@code limit}
   */
  public Outcome heal(String loop, Duration limit) {
    Duration pause = limit.compareTo(LONG) > 0 ? Duration.ofMillis(1) : Duration.ofMillis(5);
    boolean shownDown = false;
    long restarts = supervisor.restarts(loop);
    for (long second = 0; second <= limit.toSeconds(); second++) {
      shownDown |= supervisor.loops().stream().anyMatch(one -> isDown(one, loop));
      if (!lastWords.isEmpty()) {
        return new Outcome(Fate.PROCESS_ENDED, shownDown || becomesDown(loop));
      }
      if (supervisor.restarts(loop) > restarts) {
        return new Outcome(Fate.RESTARTED, shownDown);
      }
      jump(Duration.ofSeconds(1));
      settle(pause);
      shownDown |= supervisor.loops().stream().anyMatch(one -> isDown(one, loop));
    }
    throw new AssertionError(loop + " is neither healed nor fatal after " + limit);
  }

  private static boolean isDown(LoopState state, String loop) {
    return state.name().equals(loop) && !state.isAlive();
  }

  /** The last words come from the loop's own thread, just before that ends. */
  private boolean becomesDown(String loop) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (System.nanoTime() < end) {
      if (supervisor.loops().stream().anyMatch(one -> isDown(one, loop))) {
        return true;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  /**
   * A thread that was interrupted gets all the time that it needs to end, unless the process has
   * ended, and the others some of the machine's time for a heartbeat.
   */
  private void settle(Duration pause) {
    LockSupport.parkNanos(pause.toNanos());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (isAnyStuck() && lastWords.isEmpty() && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private boolean isAnyStuck() {
    return supervisor.loops().stream()
        .anyMatch(one -> one.condition() == LoopState.Condition.STUCK);
  }

  /** What became of a loop. */
  public enum Fate {
    RESTARTED,
    PROCESS_ENDED
  }

  /**
   * What became of a loop.
   *
   * @param shownDown whether {@link Supervisor#loops} showed it as dead or stuck before that
   */
  public record Outcome(Fate fate, boolean shownDown) {}

  /** What the process said when it ended; empty while it runs. */
  public List<String> lastWords() {
    return lastWords;
  }

  /** Whether a loop's thread waits, so that time may pass. */
  public static boolean isWaiting(String loop) {
    return threads(loop)
        .map(Thread::getState)
        .anyMatch(state -> state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING);
  }

  static Stream<Thread> threads(String loop) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(loop));
  }

  public List<String> heard() {
    return heard;
  }

  @Override
  public void started(String loop) {
    heard.add(loop + " started");
  }

  @Override
  public void restarted(String loop, Throwable cause) {
    heard.add(loop + " restarted after " + cause.getMessage());
  }

  @Override
  public void stuck(String loop, Duration silence) {
    heard.add(loop + " stuck");
  }

  @Override
  public void ending(String loop, Throwable cause) {
    heard.add(loop + " ends the process: " + cause.getMessage());
  }
}
