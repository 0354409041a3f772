package dev.cotenant.admission.gate;

import dev.cotenant.admission.gate.ClusterWriter.Written;
import dev.cotenant.admission.gate.Errand.Purpose;
import dev.cotenant.admission.gate.TrackedPod.Trust;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.review.JsonPatch;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Sends patches, one at a time for a pod, and draws the conclusions from their answers.
 *
 * <p>An answer that did not come says nothing: the patch may have been done, may be done yet, or
 * never be. The same patch is sent again, which can do no harm, for it tests the version that it
 * was made for: it is done now, or it conflicts, and then no copy of it can be done any more. But a
 * conflict does not say who changed the pod: it may have been an earlier copy of the same patch.
 * Room that was granted is therefore kept until the pod is seen let go, or until a write of ours to
 * a state in which it was still held is done: then nothing sent before can be done. That write is
 * the fence.
 */
final class Writes {
  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;

  /** Runs what it is given on the controller's thread while the term lasts. */
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
    Errand errand = new Errand(++ids, purpose, state, pod.states(), patch, 1, null);
    send(pod, errand);
  }

  private void send(TrackedPod pod, Errand errand) {
    pod.errand = errand;
    String uid = pod.uid();
    ports
        .cluster()
        .patch(
            errand.state(),
            errand.patch(),
            written -> inTerm.execute(() -> written(uid, errand.id(), written)));
  }

  /** Makes sure of a pod of which something may be on its way. */
  void fence(TrackedPod pod, WatchedPod state) {
    send(pod, state, new Errand.Fence(), Patches.fence(state, term.number));
  }

  /** Runs something on the controller's thread while the term lasts. */
  void later(Runnable task) {
    inTerm.execute(task);
  }

  /**
   * Sends again what is due.
   *
   * @return when the rest is; null where nothing is left
   */
  @Nullable Instant retry(TrackedPod pod, Instant now) {
    Errand errand = pod.errand;
    if (errand == null || errand.retryAt() == null) {
      return null;
    }
    if (now.isBefore(errand.retryAt())) {
      return errand.retryAt();
    }
    send(pod, errand.retried(++ids));
    return null;
  }

  /** The pod was seen let go, so that whatever was on its way has been done or never will be. */
  static void settled(TrackedPod pod) {
    pod.errand = null;
    pod.trust = Trust.SURE;
  }

  private void written(String uid, long id, Written written) {
    TrackedPod pod = term.find(uid);
    if (pod == null || pod.errand == null || pod.errand.id() != id) {
      return; // what was seen meanwhile has said more
    }
    Errand errand = pod.errand;
    pod.errand = null;
    switch (written) {
      case Written.Done _ -> done(pod, errand);
      case Written.Conflict _ -> conflict(pod, errand);
      case Written.Gone _ -> gone(pod);
      case Written.Unknown(String why) -> unknown(pod, errand, why);
      case Written.Refused(String why) -> refused(pod, errand, why);
    }
  }

  private void done(TrackedPod pod, Errand errand) {
    pod.failures = 0;
    pod.refusal = null;
    pod.spendAll(errand.before());
    switch (errand.purpose()) {
      case Errand.LetGoTo(PodGrant grant, Instant fittingSince) -> {
        pod.trust = Trust.SURE;
        letGo(pod);
        if (grant.equals(term.grants.find(grant.key()).orElse(null))) {
          term.grants.put(grant.in(new PodGrant.Bound()));
        }
        granted(pod, grant, fittingSince);
      }
      case Errand.LetGoUnmanaged(String why) -> {
        pod.trust = Trust.SURE;
        letGo(pod);
        ports.listener().letGo(pod.latest(), why);
        ports.cluster().tell(pod.latest(), Telling.warning("Unmanaged", why));
      }
      case Errand.Fence _ -> {
        pod.trust = Trust.SURE;
        term.giveBack(pod.uid());
        term.claims.remove(pod.uid());
      }
      case Errand.Tell _ -> {}
    }
  }

  private void letGo(TrackedPod pod) {
    pod.markLetGo();
    term.held.remove(pod.uid());
  }

  private void granted(TrackedPod pod, PodGrant grant, Instant fittingSince) {
    Instant now = ports.clock().instant();
    ports.listener().granted(pod.latest(), pod.waited(now), Duration.between(fittingSince, now));
    ports
        .cluster()
        .tell(
            pod.latest(),
            Telling.normal(
                "Granted",
                String.join(", ", grant.gpus())
                    + " on "
                    + grant.node()
                    + ": "
                    + grant.admitted().evidence().sentence()));
  }

  private void conflict(TrackedPod pod, Errand errand) {
    pod.spend(errand.state().resourceVersion());
    ports.listener().conflicted(pod.latest());
    if (errand.purpose() instanceof Errand.LetGoTo) {
      pod.trust = Trust.OWN_GRANT;
    }
  }

  private void gone(TrackedPod pod) {
    term.grants.release(pod.uid());
    term.bearers.remove(pod.uid());
    term.claims.remove(pod.uid());
    term.occupancy.remove(pod.uid());
    term.bury(pod.uid(), ports.clock().instant());
  }

  private void unknown(TrackedPod pod, Errand errand, String why) {
    ports.listener().writeFailed(pod.latest(), why);
    if (errand.purpose() instanceof Errand.Tell) {
      return;
    }
    Duration wait = settings.backOff(errand.attempt());
    pod.errand = errand.retryAt(ports.clock().instant().plus(wait));
  }

  private void refused(TrackedPod pod, Errand errand, String why) {
    ports.listener().writeFailed(pod.latest(), why);
    pod.failures++;
    pod.notBefore = ports.clock().instant().plus(settings.backOff(pod.failures));
    switch (errand.purpose()) {
      case Errand.LetGoTo _ -> {
        tellRefusal(pod, why);
        if (errand.attempt() == 1) {
          term.giveBack(pod.uid());
          term.claims.remove(pod.uid());
        } else {
          pod.trust = Trust.OWN_GRANT; // an earlier copy may have been done
        }
      }
      case Errand.LetGoUnmanaged _ -> tellRefusal(pod, why);
      case Errand.Fence _, Errand.Tell _ -> {}
    }
  }

  private void tellRefusal(TrackedPod pod, String why) {
    if (!why.equals(pod.refusal)) {
      pod.refusal = why;
      ports.cluster().tell(pod.latest(), Telling.warning("GrantRefused", why));
    }
  }
}
