package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Drives a controller with one thread: messages queue up, and after all that came meanwhile there
 * is one pass. Without messages there is a pass when something is due. A defect in a message or a
 * pass is told to the listener, and the next goes on. Safe for use by many threads.
 *
 * <p>An Error may leave the controller half changed, so it ends the process; so does a message or a
 * pass of more than {@link #LONGEST_SILENCE}. The Lease is not renewed any more then, and the next
 * leader proves of every held pod what this one has done.
 */
public final class GateLoop implements GateFeed, AutoCloseable {
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  /** A pass has no I/O and takes milliseconds; the end of the process is due within 30 s. */
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(25);

  private final BlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
  private final GateController controller;
  private final GateListener listener;
  private final Loop loop;
  private Duration due = AT_MOST;
  private volatile boolean closed;

  /** Starts a loop for a controller that posts its answers to the given mailbox. */
  public GateLoop(GatePorts ports, GateSettings settings, Supervisor supervisor) {
    Executor inbox = mailbox::add;
    controller = new GateController(ports, settings, inbox);
    listener = ports.listener();
    loop = supervisor.start(LoopPlan.vital("gate-controller", LONGEST_SILENCE), this::round);
  }

  /** What the controller knew after its last pass. */
  public GateView view() {
    return controller.view();
  }

  /**
   * Asks the controller on its own thread, between passes; a pass follows.
   *
   * @return its answer; fails with whatever {@code question} throws
   */
  public <T> CompletableFuture<T> ask(Function<GateController, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    mailbox.add(() -> answer(question, answer));
    if (closed) {
      answer.cancel(false);
    }
    return answer;
  }

  private <T> void answer(Function<GateController, T> question, CompletableFuture<T> answer) {
    try {
      answer.complete(question.apply(controller));
    } catch (RuntimeException problem) {
      // Whoever asked is told: it is their question, not a message about the cluster.
      answer.completeExceptionally(problem);
    }
  }

  @Override
  public void begin(
      long term, Collection<WatchedPod> pods, Collection<WatchedNode> nodes, PersistedState kept) {
    mailbox.add(() -> controller.begin(term, pods, nodes, kept));
  }

  @Override
  public void end(long term) {
    mailbox.add(() -> controller.end(term));
  }

  @Override
  public void podSeen(long term, WatchedPod pod) {
    mailbox.add(() -> controller.podSeen(term, pod));
  }

  @Override
  public void podGone(long term, String uid) {
    mailbox.add(() -> controller.podGone(term, uid));
  }

  @Override
  public void nodeSeen(long term, WatchedNode node) {
    mailbox.add(() -> controller.nodeSeen(term, node));
  }

  @Override
  public void nodeGone(long term, String name) {
    mailbox.add(() -> controller.nodeGone(term, name));
  }

  @Override
  public void readingsRefreshed() {
    mailbox.add(controller::readingsRefreshed);
  }

  @Override
  public void policiesChanged() {
    mailbox.add(controller::policiesChanged);
  }

  /** Ends the loop after the message that it works on; what is queued is dropped. */
  @Override
  public void close() {
    closed = true;
    loop.close();
  }

  private void round(Heartbeat heart) throws InterruptedException {
    long pause = Math.max(0, due.toMillis());
    heart.beatBefore(Duration.ofMillis(pause));
    List<Runnable> messages = new ArrayList<>();
    Runnable first = mailbox.poll(pause, TimeUnit.MILLISECONDS);
    if (first != null) {
      messages.add(first);
      mailbox.drainTo(messages);
    }
    for (Runnable message : messages) {
      heart.beat();
      handle(message);
    }
    heart.beat();
    due = runCycle();
  }

  private void handle(Runnable message) {
    try {
      message.run();
    } catch (RuntimeException defect) {
      // A defect of ours must not end the controller: pods would be held for ever.
      listener.failed(defect);
    }
  }

  private Duration runCycle() {
    try {
      Duration due = controller.runCycle();
      return due.compareTo(AT_MOST) < 0 ? due : AT_MOST;
    } catch (RuntimeException defect) {
      // As above; the next message or second brings another pass.
      listener.failed(defect);
      return Duration.ofSeconds(1);
    }
  }
}
