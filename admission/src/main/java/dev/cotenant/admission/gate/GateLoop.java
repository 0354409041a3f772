package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Runs a controller on one thread: one scheduling cycle after all queued events, or when one is
 * due. A defect in an event or a cycle goes to the listener, and the next one continues. Safe for
 * use by many threads.
 *
 * <p>An Error may leave inconsistent state, so it ends the process, as does an event or cycle of
 * more than {@link #MAX_SILENCE}. The Lease then expires, and the next leader fences every gated
 * pod.
 */
public final class GateLoop implements GateFeed, AutoCloseable {
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  /** A cycle has no I/O and takes milliseconds; the process must end within 30 s. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(25);

  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final GateController controller;
  private final GateListener listener;
  private final Loop loop;
  private long dueAt = System.nanoTime();
  private volatile boolean closed;

  /** Starts the loop of a new controller. */
  public GateLoop(GatePorts ports, GateSettings settings, Supervisor supervisor) {
    Executor inbox = this::add;
    controller = new GateController(ports, settings, inbox);
    listener = ports.listener();
    loop = supervisor.start(LoopPlan.vital("gate-controller", MAX_SILENCE), this::round);
  }

  /** The state after the last cycle. */
  public GateView view() {
    return controller.view();
  }

  /**
   * Runs a task on the controller's thread, between cycles; a cycle follows.
   *
   * @return the result; fails with the exception of the task
   */
  public <T> CompletableFuture<T> call(Function<GateController, T> task) {
    return add(task, Event.Change::new);
  }

  /**
   * Runs a task that changes nothing on the controller's thread; no cycle follows.
   *
   * @return the result; fails with the exception of the task
   */
  public <T> CompletableFuture<T> query(Function<GateController, T> task) {
    return add(task, Event.Query::new);
  }

  /** Work of the controller's thread. */
  private sealed interface Event {
    Runnable task();

    record Change(Runnable task) implements Event {}

    record Query(Runnable task) implements Event {}
  }

  private void add(Runnable task) {
    events.add(new Event.Change(task));
  }

  private <T> CompletableFuture<T> add(
      Function<GateController, T> task, Function<Runnable, Event> event) {
    CompletableFuture<T> result = new CompletableFuture<>();
    events.add(event.apply(() -> result(task, result)));
    if (closed) {
      result.cancel(false);
    }
    return result;
  }

  private <T> void result(Function<GateController, T> task, CompletableFuture<T> result) {
    try {
      result.complete(task.apply(controller));
    } catch (RuntimeException problem) {
      // The caller's defect, not the controller's.
      result.completeExceptionally(problem);
    }
  }

  @Override
  public void begin(long term, Listed listed, PersistedState persisted) {
    add(() -> controller.begin(term, listed, persisted));
  }

  @Override
  public void end(long term) {
    add(() -> controller.end(term));
  }

  @Override
  public void podSeen(long term, WatchedPod pod) {
    add(() -> controller.podSeen(term, pod));
  }

  @Override
  public void podGone(long term, String uid) {
    add(() -> controller.podGone(term, uid));
  }

  @Override
  public void nodeSeen(long term, WatchedNode node) {
    add(() -> controller.nodeSeen(term, node));
  }

  @Override
  public void nodeGone(long term, String name) {
    add(() -> controller.nodeGone(term, name));
  }

  @Override
  public void changed(long term, ClusterChange change) {
    add(() -> controller.changed(term, change));
  }

  @Override
  public void readingsRefreshed() {
    add(controller::readingsRefreshed);
  }

  /** Speeds or latencies of pods were measured. */
  public void measured(List<Sample> samples) {
    add(() -> controller.measured(samples));
  }

  /** Servers of language models serve, by the uid of the pod and when that was seen. */
  public void serving(Map<String, Instant> seen) {
    add(() -> controller.serving(seen));
  }

  @Override
  public void policiesChanged() {
    add(controller::policiesChanged);
  }

  /** Ends the loop after the current event; queued events are dropped. */
  @Override
  public void close() {
    closed = true;
    loop.close();
  }

  private void round(Heartbeat heart) throws InterruptedException {
    long pause = Math.max(0, TimeUnit.NANOSECONDS.toMillis(dueAt - System.nanoTime()));
    heart.beatBefore(Duration.ofMillis(pause));
    List<Event> batch = new ArrayList<>();
    Event first = events.poll(pause, TimeUnit.MILLISECONDS);
    if (first != null) {
      batch.add(first);
      events.drainTo(batch);
    }
    for (Event event : batch) {
      heart.beat();
      handle(event.task());
    }
    heart.beat();
    boolean isDue = dueAt - System.nanoTime() <= 0;
    if (isDue || batch.stream().anyMatch(Event.Change.class::isInstance)) {
      dueAt = System.nanoTime() + runCycle().toNanos();
    }
  }

  private void handle(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException defect) {
      // A defect must not end the controller: pods would stay gated forever.
      listener.failed(defect);
    }
  }

  private Duration runCycle() {
    try {
      Duration due = controller.runCycle();
      return due.compareTo(AT_MOST) < 0 ? due : AT_MOST;
    } catch (RuntimeException defect) {
      // As above; the next event or second starts another cycle.
      listener.failed(defect);
      return Duration.ofSeconds(1);
    }
  }
}
