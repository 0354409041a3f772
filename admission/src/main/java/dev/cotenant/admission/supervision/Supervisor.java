package dev.cotenant.admission.supervision;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts every background loop of the process and watches all of them with one thread.
 *
 * <p>A dead loop (its step threw something, Errors included) is restarted, or the process ends, by
 * its plan. A stuck one (no heartbeat for longer than its plan allows) is interrupted first; where
 * its thread does not end by that, the process ends, as a loop never has two threads. A loop that
 * dies too often ends the process, as does every {@link VirtualMachineError}, after which the state
 * of the process is unknown.
 *
 * <p>Silence is counted in time that the watchdog was awake for. A process that was stopped, or got
 * no processor, finds no loop stuck afterwards.
 */
public final class Supervisor implements AutoCloseable {
  /** How often the watchdog looks. */
  public static final Duration EVERY = Duration.ofSeconds(1);

  /** What counts of a longer pause between two looks: the process did not run in between. */
  private static final Duration COUNTED = EVERY.multipliedBy(2);

  private static final byte[] WATCHDOG_FAILED =
      "cotenant: the watchdog of all loops has failed, so the process ends\n"
          .getBytes(StandardCharsets.UTF_8);

  private static final byte[] RUNTIME_FAILED =
      "cotenant: the Java runtime has failed, so the process ends\n"
          .getBytes(StandardCharsets.UTF_8);

  private final Ports ports;
  private final List<Loop> loops = new CopyOnWriteArrayList<>();
  private final Map<String, AtomicLong> restarts = new ConcurrentHashMap<>();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile long lookedAtNanos;
  private final AtomicLong nowMillis = new AtomicLong();
  private @Nullable Thread watchdog;

  /**
   * The dependencies of the supervisor.
   *
   * @param nanoTime as {@link System#nanoTime}
   * @param end ends the process
   * @param listener receives the events of loops
   */
  public record Ports(LongSupplier nanoTime, ProcessEnd end, SupervisionListener listener) {}

  /** Watches nothing until {@link #watch} is called. */
  public Supervisor(Ports ports) {
    this.ports = ports;
    lookedAtNanos = ports.nanoTime().getAsLong();
  }

  /** A supervisor of the whole process, whose watchdog runs. */
  public static Supervisor ofProcess(SupervisionListener listener) {
    Supervisor supervisor = new Supervisor(new Ports(System::nanoTime, ProcessEnd.HALT, listener));
    supervisor.watch();
    return supervisor;
  }

  /** Starts the watchdog. */
  public synchronized void watch() {
    lookedAtNanos = ports.nanoTime().getAsLong();
    watchdog =
        Thread.ofPlatform()
            .daemon()
            .name("watchdog")
            .uncaughtExceptionHandler((_, _) -> end(WATCHDOG_FAILED))
            .start(this::lookAgain);
  }

  /** Starts a loop, which runs until it is closed. */
  public Loop start(LoopPlan plan, Step step) {
    Loop loop = new Loop(plan, step, this);
    if (restarts.putIfAbsent(plan.name(), new AtomicLong()) == null) {
      ports.listener().started(plan.name());
    }
    loop.start();
    loops.add(loop);
    return loop;
  }

  private void lookAgain() {
    try {
      while (true) {
        look();
        Thread.sleep(EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** One look at every loop. */
  void look() {
    long now = ports.nanoTime().getAsLong();
    long passedMillis = Duration.ofNanos(now - lookedAtNanos).toMillis();
    lookedAtNanos = now;
    nowMillis.addAndGet(Math.min(passedMillis, COUNTED.toMillis()));
    loops.removeIf(loop -> !loop.look());
  }

  /** The watchdog's time, in which silence is counted. */
  long nowMillis() {
    return nowMillis.get();
  }

  /** How long the watchdog has not looked; far more than a second means that it is stuck. */
  public Duration watchdogSilence() {
    return Duration.ofNanos(ports.nanoTime().getAsLong() - lookedAtNanos);
  }

  /** Loops in start order, without closed ones. */
  public List<LoopState> loops() {
    return loops.stream().filter(loop -> !loop.isClosed()).map(Loop::state).toList();
  }

  /** How often loops of this name were restarted. */
  public long restarts(String loop) {
    AtomicLong count = restarts.get(loop);
    return count == null ? 0 : count.get();
  }

  void restarted(Loop loop, Throwable cause) {
    restarts.getOrDefault(loop.name(), new AtomicLong()).incrementAndGet();
    ports.listener().restarted(loop.name(), cause);
  }

  void stuck(Loop loop, Duration silence) {
    ports.listener().stuck(loop.name(), silence);
  }

  /**
   * Ends the process on a {@link VirtualMachineError} outside of the loops, also where a future has
   * caught it. A stack overflow ends one request only; callers must not escalate it.
   */
  public void check(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError)) {
      end(RUNTIME_FAILED);
    }
  }

  /**
   * After a VirtualMachineError nothing but the end is safe, not even a log record; only a stack
   * that overflowed has room again.
   */
  void end(Loop loop, Throwable cause) {
    boolean mayLog = !(cause instanceof VirtualMachineError) || cause instanceof StackOverflowError;
    try {
      if (mayLog && !ended.get()) {
        ports.listener().ending(loop.name(), cause);
      }
    } finally {
      end(loop.lastWords());
    }
  }

  private void end(byte[] lastWords) {
    if (ended.compareAndSet(false, true)) {
      ports.end().end(lastWords);
    }
  }

  /** Ends every loop and the watchdog. */
  @Override
  public synchronized void close() {
    Thread running = watchdog;
    if (running != null) {
      running.interrupt();
    }
    loops.forEach(Loop::close);
  }
}
