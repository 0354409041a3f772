package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter.DeviceClaim;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.SchedulingCycle.Place;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.targeting.ResourceClaims;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is done around the decisions of a pass: retries, fences, telling, looking for what is amiss.
 */
final class Reconciler {
  /** How often what is amiss is looked for. */
  private static final Duration EVERY = Duration.ofSeconds(30);

  /**
   * How many GPUs' reasons are read in one pass, which takes about a tenth of a second; whoever is
   * left over has a turn in the next.
   */
  private static final int MOST_READ = 10_000;

  private static final Duration NEXT_TURN = Duration.ofMillis(100);

  /** So many pairs of held pods and GPUs are looked at every {@link GateSettings#reportEvery}. */
  private static final double READ_AGAIN = 1e6;

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Writes writes;
  private final Overcommitments overcommitments;
  private Instant reconciledAt = Instant.MIN;
  private Instant nextTurn = Instant.MIN;
  private int unmanaged;
  private int leaked;
  private int overcommitted;

  Reconciler(GatePorts ports, GateSettings settings, Term term, Writes writes) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.writes = writes;
    this.overcommitments = new Overcommitments(ports, term);
  }

  int unmanaged() {
    return unmanaged;
  }

  int leaked() {
    return leaked;
  }

  int overcommitted() {
    return overcommitted;
  }

  /** Before anything is decided. */
  void before(Instant now, Due due) {
    due.at(term.grants.lapse(now).orElse(null));
    for (TrackedPod pod : List.copyOf(term.held.values())) {
      due.at(writes.retry(pod, now));
      WatchedPod state = pod.current();
      boolean unsure = pod.inFlight != InFlight.NONE && pod.pendingWrite == null;
      if (unsure && state != null && !now.isBefore(pod.notBefore)) {
        writes.fence(pod, state);
      }
      if (pod.notBefore.isAfter(now)) {
        due.at(pod.notBefore);
      }
    }
    for (String uid : List.copyOf(term.unclaimed)) {
      term.unclaimed.remove(uid);
      TrackedPod pod = term.find(uid);
      @Nullable PodGrant grant = term.grants.find(uid).orElse(null);
      if (pod != null && grant != null) {
        claim(pod, grant);
      }
    }
    for (Map.Entry<String, Instant> one : List.copyOf(term.unwritten.entrySet())) {
      if (now.isBefore(one.getValue())) {
        due.at(one.getValue());
      } else {
        writeDown(one.getKey());
      }
    }
    if (reconciledAt.isBefore(now.minus(EVERY))) {
      reconcile(now);
    }
    due.at(reconciledAt.plus(EVERY));
  }

  private void writeDown(String uid) {
    term.unwritten.remove(uid);
    TrackedPod pod = term.find(uid);
    @Nullable PodGrant grant = term.grants.find(uid).orElse(null);
    if (pod != null && grant != null) {
      ports
          .cluster()
          .patch(
              pod.latest(),
              PodPatches.record(pod.latest(), grant),
              written -> writes.later(() -> wroteDown(pod, written)));
    }
  }

  private void wroteDown(TrackedPod pod, WriteResult written) {
    switch (written) {
      case WriteResult.Done _, WriteResult.Gone _ -> {}
      case WriteResult.Conflict _, WriteResult.Unknown _ ->
          term.unwritten.put(pod.uid(), ports.clock().instant().plus(settings.retryFirst()));
      case WriteResult.Refused(String why) -> ports.listener().writeFailed(pod.latest(), why);
    }
  }

  /** After everybody was decided on. */
  void after(List<Place> queue, Instant now, Due due) {
    int gpus = Math.max(1, term.inventory.base().gpus().size());
    int turns = now.isBefore(nextTurn) ? 0 : Math.max(1, MOST_READ / gpus);
    Duration again = again((double) gpus * queue.size());
    for (Place place : queue) {
      TrackedPod pod = place.pod();
      if (place.asked() != null) {
        due.at(
            Deciding.patienceEnds(
                ports.policies().get().of(place.state().pod().namespace()), pod, now));
      }
      Refusal refusal = pod.refused();
      if (refusal != null && pod.isHeld() && isReportedBefore(pod, now.minus(again))) {
        if (turns > 0) {
          Instant begun = ports.clock().instant();
          report(pod, refusal, now);
          turns--;
          nextTurn = turns == 0 ? next(now, begun) : nextTurn;
        } else {
          due.at(nextTurn);
        }
      }
    }
  }

  /** StatusReport takes a tenth of the time at most, so that it never holds up grants for long. */
  private Instant next(Instant now, Instant begun) {
    Instant over = ports.clock().instant();
    Duration pause = Duration.between(begun, over).multipliedBy(9);
    return pause.compareTo(NEXT_TURN) > 0 ? over.plus(pause) : now.plus(NEXT_TURN);
  }

  private static boolean isReportedBefore(TrackedPod pod, Instant when) {
    return !pod.reported.checkedAt().isAfter(when);
  }

  /** What was told is looked at again less often the more there is of it. */
  private Duration again(double pairs) {
    double times = Math.max(1, pairs / READ_AGAIN);
    return Duration.ofMillis((long) (settings.reportEvery().toMillis() * times));
  }

  /** Says why a pod waits, if that is something new. */
  private void report(TrackedPod pod, Refusal refusal, Instant now) {
    Decision decision = refusal.decision();
    List<Reason> reasons = refusal.reasons();
    if (reasons.isEmpty()) {
      // What it was refused for is past: it is decided on again. Others come before it is told.
      pod.reported = pod.reported.checked(now);
      return;
    }
    StatusReport report = StatusReport.of(decision, reasons, now);
    boolean changed = !report.isSame(pod.reported);
    pod.reported = report;
    if (!changed) {
      return;
    }
    String summary = StatusReport.summary(reasons);
    ports.listener().decided(pod.latest(), decision);
    ports.cluster().report(pod.latest(), StatusReport.event(decision, summary));
    WatchedPod state = pod.current();
    if (state != null
        && pod.pendingWrite == null
        && pod.inFlight == InFlight.NONE
        && pod.isHeld()) {
      write(pod, state, report.annotations(summary));
    }
  }

  /** A patch without a change gives the pod no new version, so its answer would never be seen. */
  private void write(TrackedPod pod, WatchedPod state, Map<String, String> annotations) {
    if (!state.annotations().entrySet().containsAll(annotations.entrySet())) {
      writes.send(pod, state, new PendingWrite.Report(), PodPatches.report(state, annotations));
    }
  }

  /**
   * Looks for missed pods and for capacity that nobody came to take, and makes claims of devices.
   */
  void reconcile(Instant now) {
    reconciledAt = now;
    overcommitted = overcommitments.count();
    unmanaged = 0;
    leaked = 0;
    for (TrackedPod pod : term.pods.values()) {
      WatchedPod state = pod.latest();
      @Nullable PodGrant grant = term.grants.find(pod.uid()).orElse(null);
      if (grant == null) {
        unmanaged += isUnreviewed(pod, state) ? 1 : 0;
      } else if (isToCome(pod, grant)) {
        bound(pod, grant, now);
      }
    }
  }

  /** Whether it was let go to a node and is on none; what is reserved for a held pod may wait. */
  private static boolean isToCome(TrackedPod pod, PodGrant grant) {
    return grant.state() instanceof PodGrant.Bound
        && pod.latest().scheduling().node() == null
        && !pod.isHeld();
  }

  private boolean isUnreviewed(TrackedPod pod, WatchedPod state) {
    String namespace = state.pod().namespace();
    return !pod.isHeld()
        && state.isLive()
        && state.request() instanceof Colocatable
        && !state.annotations().containsKey(CotenantAnnotations.TOKEN)
        && ports.optedIn().test(namespace)
        && ports.policies().get().of(namespace).mode() == Policy.Mode.ENFORCE;
  }

  private void bound(TrackedPod pod, PodGrant grant, Instant now) {
    claim(pod, grant);
    Duration since = Duration.between(grant.grantedAt(), now);
    if (since.compareTo(settings.leakAfter()) < 0) {
      return;
    }
    leaked++;
    if (!pod.reportedLeak) {
      pod.reportedLeak = true;
      ports.listener().leaked(pod.latest(), since);
      ports
          .cluster()
          .report(
              pod.latest(),
              StatusReport.warning(
                  "NotScheduled",
                  "was granted capacity on "
                      + grant.node()
                      + " "
                      + since.toSeconds()
                      + " s ago and is on no node; its capacity is kept"));
    }
  }

  /** Makes the claim that selects what the pod was granted; that it may be there is no harm. */
  private void claim(TrackedPod pod, PodGrant grant) {
    WatchedPod state = pod.latest();
    @Nullable String name = state.annotations().get(CotenantAnnotations.RESOURCE_CLAIM);
    boolean wanted =
        !pod.claimMade
            && ports.policies().get().of(state.pod().namespace()).targeting()
                == Policy.Targeting.DRA;
    if (wanted && name != null) {
      pod.claimMade = true;
      DeviceClaim claim =
          new DeviceClaim(
              ResourceClaims.DEVICE_CLASS,
              ResourceClaims.expression(grant.admitted()),
              grant.gpus().size());
      ports
          .cluster()
          .claim(state, name, claim, written -> writes.later(() -> claimed(pod, written)));
    }
  }

  private void claimed(TrackedPod pod, WriteResult written) {
    switch (written) {
      case WriteResult.Done _, WriteResult.Gone _ -> {}
      case WriteResult.Conflict _, WriteResult.Unknown _ -> pod.claimMade = false;
      case WriteResult.Refused(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        ports.cluster().report(pod.latest(), StatusReport.warning("ClaimRefused", why));
      }
    }
  }
}
