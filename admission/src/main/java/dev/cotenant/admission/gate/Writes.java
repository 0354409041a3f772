package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter.Binding;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.PendingWrite.Bind;
import dev.cotenant.admission.gate.PendingWrite.Patch;
import dev.cotenant.admission.gate.PendingWrite.Purpose;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.review.JsonPatch;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends patches, one at a time for each pod, and handles their answers.
 *
 * <p>A lost answer leaves the outcome unknown: the patch may be done, may still be done, or never.
 * It is sent again, which is harmless, since it tests the version that it was made for: either it
 * is done now, or it conflicts, and then no copy of it can be done any more. A conflict does not
 * tell who changed the pod: it may have been an earlier copy. Granted capacity therefore stays
 * allocated until the pod is seen ungated, or until a later write of ours succeeds on a gated
 * state: then no earlier write can be done. That write is the fence.
 */
final class Writes {
  /** Unanswered attempts without an Event: most last a few seconds. */
  private static final int SILENT_ATTEMPTS = 2;

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;

  /** Runs tasks on the controller's thread during the term. */
  private final Executor inTerm;

  private long ids;

  Writes(GatePorts ports, GateSettings settings, Term term, Executor inTerm) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.inTerm = inTerm;
  }

  /** Sends a patch that was made for this state. */
  void send(TrackedPod pod, WatchedPod state, Purpose purpose, JsonPatch patch) {
    PendingWrite pendingWrite =
        new PendingWrite(++ids, purpose, state, pod.states(), new Patch(patch), 1, null);
    send(pod, pendingWrite);
  }

  /** Binds a pod to a node. */
  void bind(TrackedPod pod, WatchedPod state, PendingWrite.BindPod purpose, Binding binding) {
    send(pod, new PendingWrite(++ids, purpose, state, pod.states(), new Bind(binding), 1, null));
  }

  private void send(TrackedPod pod, PendingWrite pendingWrite) {
    pod.pendingWrite = pendingWrite;
    String uid = pod.uid();
    Consumer<WriteResult> done =
        written -> inTerm.execute(() -> written(uid, pendingWrite.id(), written));
    switch (pendingWrite.change()) {
      case Patch(JsonPatch patch) -> ports.cluster().patch(pendingWrite.state(), patch, done);
      case Bind(Binding binding) -> ports.cluster().bind(binding, done);
    }
  }

  /** Fences a pod that may have a write in flight. */
  void fence(TrackedPod pod, WatchedPod state) {
    send(pod, state, new PendingWrite.Fence(), PodPatches.fence(state, term.number));
  }

  /** Runs a task on the controller's thread during the term. */
  void later(Runnable task) {
    inTerm.execute(task);
  }

  /**
   * Retries a write that is due.
   *
   * @return the time of the retry; null without one
   */
  @Nullable Instant retry(TrackedPod pod, Instant now) {
    PendingWrite pendingWrite = pod.pendingWrite;
    if (pendingWrite == null || pendingWrite.retryAt() == null) {
      return null;
    }
    if (now.isBefore(pendingWrite.retryAt())) {
      return pendingWrite.retryAt();
    }
    send(pod, pendingWrite.retried(++ids));
    return null;
  }

  /** The pod was seen ungated or bound: every write is done or never will be. */
  static void settled(TrackedPod pod) {
    PendingWrite pendingWrite = pod.pendingWrite;
    pod.pendingWrite = null;
    pod.inFlight = InFlight.NONE;
    if (pendingWrite != null && pendingWrite.change() instanceof Bind(Binding binding)) {
      @Nullable String node = pod.latest().scheduling().node();
      answer(
          pendingWrite,
          binding.node().equals(node) ? null : "the pod has ended or is bound to " + node);
    }
  }

  private static void answer(PendingWrite pendingWrite, @Nullable String whyNot) {
    if (pendingWrite.purpose() instanceof PendingWrite.BindPod bind) {
      bind.outcome().accept(Optional.ofNullable(whyNot));
    }
  }

  private void written(String uid, long id, WriteResult written) {
    TrackedPod pod = term.find(uid);
    if (pod == null || pod.pendingWrite == null || pod.pendingWrite.id() != id) {
      return; // a newer state has settled it
    }
    PendingWrite pendingWrite = pod.pendingWrite;
    pod.pendingWrite = null;
    switch (written) {
      case WriteResult.Done _ -> done(pod, pendingWrite);
      case WriteResult.Conflict _ -> conflict(pod, pendingWrite);
      case WriteResult.Gone _ -> gone(pod, pendingWrite);
      case WriteResult.Unknown(String why) -> unknown(pod, pendingWrite, why);
      case WriteResult.Refused(String why) -> refused(pod, pendingWrite, why);
    }
  }

  private void done(TrackedPod pod, PendingWrite pendingWrite) {
    pod.failures = 0;
    pod.refusal = null;
    pod.dropAll(pendingWrite.before());
    switch (pendingWrite.purpose()) {
      case PendingWrite.UngateGranted(PodGrant grant, Instant fittingSince) -> {
        pod.inFlight = InFlight.NONE;
        ungate(pod);
        confirm(grant);
        granted(pod, grant, fittingSince);
      }
      case PendingWrite.Release _ -> {
        pod.inFlight = InFlight.NONE;
        ungate(pod);
        term.released.put(pod.uid(), pod);
      }
      case PendingWrite.BindPod(PodGrant grant, Instant since, var _) -> {
        pod.inFlight = InFlight.NONE;
        if (grant != null) {
          confirm(grant);
          granted(pod, grant, since);
        }
        answer(pendingWrite, null);
      }
      case PendingWrite.UngateUnmanaged(String why) -> {
        pod.inFlight = InFlight.NONE;
        ungate(pod);
        ports.listener().ungatedUnmanaged(pod.latest(), why);
        ports.cluster().report(pod.latest(), StatusReport.warning("Unmanaged", why));
      }
      case PendingWrite.Fence _ -> {
        pod.inFlight = InFlight.NONE;
        term.release(pod.uid());
        term.claims.remove(pod.uid());
      }
      case PendingWrite.Report _ -> {}
    }
  }

  private void confirm(PodGrant grant) {
    if (grant.equals(term.grants.find(grant.key()).orElse(null))) {
      term.grants.put(grant.in(new PodGrant.Bound()));
    }
  }

  private void ungate(TrackedPod pod) {
    pod.markUngated();
    term.gated.remove(pod.uid());
  }

  private void granted(TrackedPod pod, PodGrant grant, Instant fittingSince) {
    Instant now = ports.clock().instant();
    ports.listener().granted(pod.latest(), pod.waited(now), Duration.between(fittingSince, now));
    ports
        .cluster()
        .report(
            pod.latest(),
            StatusReport.normal(
                "Granted",
                String.join(", ", grant.gpus())
                    + " on "
                    + grant.node()
                    + ": "
                    + grant.admitted().evidence().sentence()));
  }

  private void conflict(TrackedPod pod, PendingWrite pendingWrite) {
    pod.drop(pendingWrite.state().resourceVersion());
    ports.listener().conflicted(pod.latest());
    switch (pendingWrite.purpose()) {
      case PendingWrite.UngateGranted _ -> pod.inFlight = InFlight.OWN_GRANT;
      case PendingWrite.BindPod(PodGrant grant, var _, var _) -> {
        // A standing grant needs no proof that the binding was not done.
        pod.inFlight = grant == null ? InFlight.NONE : InFlight.OWN_GRANT;
        answer(pendingWrite, "the pod has changed meanwhile");
      }
      case PendingWrite.Release _ -> term.release(pod.uid());
      case PendingWrite.UngateUnmanaged _, PendingWrite.Fence _, PendingWrite.Report _ -> {}
    }
  }

  private void gone(TrackedPod pod, PendingWrite pendingWrite) {
    answer(pendingWrite, "the pod is gone");
    term.grants.release(pod.uid());
    term.tokenHolders.remove(pod.uid());
    term.claims.remove(pod.uid());
    term.occupancy.remove(pod.uid());
    term.forget(pod.uid(), ports.clock().instant());
  }

  private void unknown(TrackedPod pod, PendingWrite pendingWrite, String why) {
    ports.listener().writeFailed(pod.latest(), why);
    if (pendingWrite.purpose() instanceof PendingWrite.Report) {
      return;
    }
    answer(pendingWrite, "the outcome of the binding is unknown: " + why);
    if (pendingWrite.purpose() instanceof PendingWrite.BindPod bind && bind.grant() == null) {
      return; // its scheduler tries again
    }
    if (pendingWrite.attempt() == SILENT_ATTEMPTS + 1) {
      ports
          .cluster()
          .report(pod.latest(), StatusReport.warning("Unanswered", unanswered(pendingWrite, why)));
    }
    Duration wait = settings.backOff(pendingWrite.attempt());
    pod.pendingWrite = pendingWrite.retryAt(ports.clock().instant().plus(wait));
  }

  private static String unanswered(PendingWrite pendingWrite, String why) {
    @Nullable PodGrant grant =
        switch (pendingWrite.purpose()) {
          case PendingWrite.UngateGranted(PodGrant ungated, var _) -> ungated;
          case PendingWrite.BindPod(PodGrant bound, var _, var _) -> bound;
          default -> null;
        };
    String allocated =
        grant == null
            ? ""
            : ", its capacity on " + String.join(", ", grant.gpus()) + " stays allocated";
    return "the outcome of the write is unknown after "
        + pendingWrite.attempt()
        + " attempts ("
        + why
        + "); it is retried"
        + allocated;
  }

  private void refused(TrackedPod pod, PendingWrite pendingWrite, String why) {
    ports.listener().writeFailed(pod.latest(), why);
    pod.failures++;
    pod.notBefore = ports.clock().instant().plus(settings.backOff(pod.failures));
    switch (pendingWrite.purpose()) {
      case PendingWrite.UngateGranted _ -> {
        reportRefusal(pod, why);
        releaseUnlessRepeated(pod, pendingWrite);
      }
      case PendingWrite.BindPod(PodGrant grant, var _, var _) -> {
        reportRefusal(pod, why);
        answer(pendingWrite, why);
        if (grant != null) {
          releaseUnlessRepeated(pod, pendingWrite);
        }
      }
      case PendingWrite.Release _ -> {
        reportRefusal(pod, why);
        term.release(pod.uid());
      }
      case PendingWrite.UngateUnmanaged _ -> reportRefusal(pod, why);
      case PendingWrite.Fence _, PendingWrite.Report _ -> {}
    }
  }

  private void releaseUnlessRepeated(TrackedPod pod, PendingWrite refused) {
    if (refused.attempt() == 1) {
      term.release(pod.uid());
      term.claims.remove(pod.uid());
    } else {
      pod.inFlight = InFlight.OWN_GRANT; // an earlier copy may have been done
    }
  }

  private void reportRefusal(TrackedPod pod, String why) {
    if (!why.equals(pod.refusal)) {
      pod.refusal = why;
      ports.cluster().report(pod.latest(), StatusReport.warning("GrantRefused", why));
    }
  }
}
