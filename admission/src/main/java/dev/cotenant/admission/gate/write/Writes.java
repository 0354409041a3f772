package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.Binding;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.PendingWrite;
import dev.cotenant.admission.gate.state.PendingWrite.Bind;
import dev.cotenant.admission.gate.state.PendingWrite.Patch;
import dev.cotenant.admission.gate.state.PendingWrite.Purpose;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.review.JsonPatch;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends patches, one at a time for each pod, and handles their answers.
 *
 * <p>A lost answer leaves the outcome unknown: the patch may have succeeded, may still succeed, or
 * never. It is sent again, which is harmless, since it tests the version that it was made for:
 * either it is done now, or it conflicts, and then no copy of it can be done any more. A conflict
 * does not name its cause, which may be an earlier copy of the patch. Granted capacity therefore
 * stays allocated until the pod is seen ungated, or until a later write of ours succeeds on a gated
 * state: then no earlier write can be done. That write is the fence.
 */
public final class Writes {
  private final GatePorts ports;
  private final Term term;
  private final WriteOutcomes outcomes;

  /** Runs tasks on the controller's thread during the term. */
  private final Executor inTerm;

  private long ids;

  public Writes(
      GatePorts ports, GateSettings settings, Term term, UngateReports reports, Executor inTerm) {
    this.ports = ports;
    this.term = term;
    this.outcomes = new WriteOutcomes(ports, settings, term, reports);
    this.inTerm = inTerm;
  }

  /** Sends a patch that was made for this state. */
  public void send(TrackedPod pod, WatchedPod state, Purpose purpose, JsonPatch patch) {
    PendingWrite pendingWrite =
        new PendingWrite(++ids, purpose, state, pod.states(), new Patch(patch), 1, null);
    send(pod, pendingWrite);
  }

  /** Binds a pod to a node. */
  public void bind(
      TrackedPod pod, WatchedPod state, PendingWrite.BindPod purpose, Binding binding) {
    send(pod, new PendingWrite(++ids, purpose, state, pod.states(), new Bind(binding), 1, null));
  }

  private void send(TrackedPod pod, PendingWrite pendingWrite) {
    pod.writes().send(pendingWrite);
    String uid = pod.uid();
    Consumer<WriteResult> done =
        written -> inTerm.execute(() -> written(uid, pendingWrite.id(), written));
    switch (pendingWrite.change()) {
      case Patch(JsonPatch patch) -> ports.cluster().patch(pendingWrite.state(), patch, done);
      case Bind(Binding binding) -> ports.cluster().bind(binding, done);
    }
  }

  /** Fences a pod that may have a write in flight. */
  public void fence(TrackedPod pod, WatchedPod state) {
    send(pod, state, new PendingWrite.Fence(), PodPatches.fence(state, term.number()));
  }

  /** Runs a task on the controller's thread during the term. */
  public void later(Runnable task) {
    inTerm.execute(task);
  }

  /**
   * Retries a write that is due.
   *
   * @param latest no retry is due later, unless the clock was set back
   * @return the time of the retry; null without one
   */
  @Nullable Instant retry(TrackedPod pod, Instant now, Instant latest) {
    PendingWrite pendingWrite = pod.writes().pending();
    if (pendingWrite == null || pendingWrite.retryAt() == null) {
      return null;
    }
    if (now.isBefore(pendingWrite.retryAt()) && !latest.isBefore(pendingWrite.retryAt())) {
      return pendingWrite.retryAt();
    }
    send(pod, pendingWrite.retried(++ids));
    return null;
  }

  /** The pod was seen ungated or bound, so that no write is outstanding. */
  public static void settled(TrackedPod pod) {
    @Nullable PendingWrite pendingWrite = pod.writes().settle();
    if (pendingWrite != null && pendingWrite.change() instanceof Bind(Binding binding)) {
      @Nullable String node = pod.latest().scheduling().node();
      answer(
          pendingWrite,
          binding.node().equals(node) ? null : "the pod has ended or is bound to " + node);
    }
  }

  static void answer(PendingWrite pendingWrite, @Nullable String whyNot) {
    if (pendingWrite.purpose() instanceof PendingWrite.BindPod bind) {
      bind.outcome().accept(Optional.ofNullable(whyNot));
    }
  }

  private void written(String uid, long id, WriteResult written) {
    TrackedPod pod = term.pods().find(uid);
    @Nullable PendingWrite write = pod == null ? null : pod.writes().answered(id);
    if (pod != null && write != null) {
      outcomes.apply(pod, write, written);
    } // else a newer state has settled it
  }
}
