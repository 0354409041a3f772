package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter.DeviceClaim;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.SchedulingCycle.QueuedPod;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.ClaimSharing;
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
 * The work around the decisions of a scheduling cycle: retries, fences, status reports and checks.
 */
final class Reconciler {
  /** Interval of the checks. */
  private static final Duration EVERY = Duration.ofSeconds(30);

  /**
   * The GPUs whose reasons one cycle reads, about a tenth of a second; the rest follows in the next
   * cycle.
   */
  private static final int MOST_READ = 10_000;

  private static final Duration REPORT_PAUSE = Duration.ofMillis(100);

  /**
   * The pairs of gated pods and GPUs that are re-checked every {@link GateSettings#reportEvery}.
   */
  private static final double READ_AGAIN = 1e6;

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Writes writes;
  private final Overcommitments overcommitments;
  private Instant reconciledAt = Instant.MIN;
  private Instant nextReports = Instant.MIN;
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

  /** Retries and fences, before decisions. */
  void before(Instant now, Due due) {
    due.at(term.grants.expire(now).orElse(null));
    for (TrackedPod pod : term.unbound()) {
      due.at(writes.retry(pod, now));
      WatchedPod state = pod.current();
      boolean unfenced = pod.inFlight != InFlight.NONE && pod.pendingWrite == null;
      if (unfenced && state != null && !now.isBefore(pod.notBefore)) {
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
    if (reconciledAt.isBefore(now.minus(EVERY))) {
      reconcile(now);
    }
    due.at(reconciledAt.plus(EVERY));
  }

  /** Status reports, after decisions. */
  void after(List<QueuedPod> queue, Instant now, Due due) {
    int gpus = Math.max(1, term.inventory.base().gpus().size());
    int reports = now.isBefore(nextReports) ? 0 : Math.max(1, MOST_READ / gpus);
    Duration again = again((double) gpus * queue.size());
    for (QueuedPod queued : queue) {
      TrackedPod pod = queued.pod();
      if (queued.request() != null) {
        due.at(
            Deciding.maxWaitEnds(
                ports.policies().get().of(queued.state().pod().namespace()), pod, now));
      }
      Refusal refusal = pod.refused();
      if (refusal != null && pod.isGated() && isReportedBefore(pod, now.minus(again))) {
        if (reports > 0) {
          Instant begun = ports.clock().instant();
          report(pod, refusal, now);
          reports--;
          nextReports = reports == 0 ? next(now, begun) : nextReports;
        } else {
          due.at(nextReports);
        }
      }
    }
  }

  /** Reports take a tenth of the time at most, so that they do not delay grants. */
  private Instant next(Instant now, Instant begun) {
    Instant over = ports.clock().instant();
    Duration pause = Duration.between(begun, over).multipliedBy(9);
    return pause.compareTo(REPORT_PAUSE) > 0 ? over.plus(pause) : now.plus(REPORT_PAUSE);
  }

  private static boolean isReportedBefore(TrackedPod pod, Instant when) {
    return !pod.reported.checkedAt().isAfter(when);
  }

  /** The interval of re-checks, in proportion to the pairs of pods and GPUs. */
  private Duration again(double pairs) {
    double times = Math.max(1, pairs / READ_AGAIN);
    return Duration.ofMillis((long) (settings.reportEvery().toMillis() * times));
  }

  /** Reports why a pod waits, where that has changed. */
  private void report(TrackedPod pod, Refusal refusal, Instant now) {
    Decision decision = refusal.decision();
    List<Reason> reasons = refusal.reasons();
    if (reasons.isEmpty()) {
      // The reasons are outdated, and the pod is decided on again: nothing to report.
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
        && pod.isGated()) {
      write(pod, state, report.annotations(summary));
    }
  }

  /** Writes annotations; a patch without a change yields no new version and is not sent. */
  private void write(TrackedPod pod, WatchedPod state, Map<String, String> annotations) {
    if (!state.annotations().entrySet().containsAll(annotations.entrySet())) {
      writes.send(pod, state, new PendingWrite.Report(), PodPatches.report(state, annotations));
    }
  }

  /** Counts unmanaged pods, grant leaks and overcommitted GPUs, and creates ResourceClaims. */
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
      } else if (isExpected(pod, grant)) {
        bound(pod, grant, now);
      }
    }
  }

  /** Whether a granted pod was ungated and has no node; a gated pod with a reservation may wait. */
  private static boolean isExpected(TrackedPod pod, PodGrant grant) {
    return grant.state() instanceof PodGrant.Bound
        && pod.latest().scheduling().node() == null
        && !pod.isGated();
  }

  private boolean isUnreviewed(TrackedPod pod, WatchedPod state) {
    String namespace = state.pod().namespace();
    return !pod.isGated()
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
                      + " s ago and is on no node; its capacity stays allocated"));
    }
  }

  /** Creates the ResourceClaim that selects the granted GPUs; an existing one is fine. */
  private void claim(TrackedPod pod, PodGrant grant) {
    WatchedPod state = pod.latest();
    @Nullable String name = state.annotations().get(CotenantAnnotations.RESOURCE_CLAIM);
    Policy policy = ports.policies().get().of(state.pod().namespace());
    boolean wanted = !pod.claimMade && policy.targeting() == Policy.Targeting.DRA;
    if (wanted && name != null) {
      pod.claimMade = true;
      DeviceClaim claim =
          new DeviceClaim(
              ResourceClaims.DEVICE_CLASS,
              ResourceClaims.expression(grant.admitted()),
              grant.gpus().size(),
              grant.extent() == Extent.SHARE ? policy.claimSharing() : new ClaimSharing.Unset());
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
