package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.state.WriteState;
import dev.cotenant.admission.gate.state.WriteState.InFlight;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Retries and fences before the decisions of a scheduling cycle, and checks of pods and grants. */
public final class Reconciler {
  /** Interval of the checks. */
  private static final Duration EVERY = Duration.ofSeconds(30);

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Writes writes;
  private final Overcommitments overcommitments;
  private final DeviceClaims claims;
  private Instant reconciledAt = Instant.MIN;
  private int unmanaged;
  private int leaked;
  private int overcommitted;

  public Reconciler(GatePorts ports, GateSettings settings, Term term, Writes writes) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.writes = writes;
    this.overcommitments = new Overcommitments(ports, term);
    this.claims = new DeviceClaims(ports, writes);
  }

  public int unmanaged() {
    return unmanaged;
  }

  public int leaked() {
    return leaked;
  }

  public int overcommitted() {
    return overcommitted;
  }

  /** Retries and fences, before decisions. */
  public void before(Instant now, Due due) {
    due.at(term.ledger().expire(now).orElse(null));
    Instant latest = now.plus(settings.retryMost());
    for (TrackedPod pod : term.pods().unbound()) {
      due.at(writes.retry(pod, now, latest));
      WatchedPod state = pod.current();
      WriteState own = pod.writes();
      if (own.notBefore().isAfter(latest)) {
        own.pauseUntil(now); // the clock was set back
      }
      boolean unfenced = own.inFlight() != InFlight.NONE && own.pending() == null;
      if (unfenced && state != null && !now.isBefore(own.notBefore())) {
        writes.fence(pod, state);
      }
      if (own.notBefore().isAfter(now)) {
        due.at(own.notBefore());
      }
    }
    for (String uid : term.takeUnclaimed()) {
      TrackedPod pod = term.pods().find(uid);
      @Nullable PodGrant grant = term.ledger().find(uid).orElse(null);
      if (pod != null && grant != null) {
        claims.make(pod, grant);
      }
    }
    if (reconciledAt.isBefore(now.minus(EVERY))) {
      reconcile(now);
    }
    due.at(reconciledAt.plus(EVERY));
  }

  /** Counts unmanaged pods, grant leaks and overcommitted GPUs, and creates ResourceClaims. */
  public void reconcile(Instant now) {
    reconciledAt = now;
    overcommitted = overcommitments.count();
    unmanaged = 0;
    leaked = 0;
    for (TrackedPod pod : term.pods().all()) {
      WatchedPod state = pod.latest();
      @Nullable PodGrant grant = term.ledger().find(pod.uid()).orElse(null);
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
        && !state.annotations().containsKey(CotenantAnnotations.ADMISSION_ID)
        && ports.optedIn().test(namespace)
        && ports.policies().get().of(namespace).mode() == Policy.Mode.ENFORCE;
  }

  private void bound(TrackedPod pod, PodGrant grant, Instant now) {
    claims.make(pod, grant);
    Duration since = Duration.between(grant.grantedAt(), now);
    if (since.compareTo(settings.leakAfter()) < 0) {
      return;
    }
    leaked++;
    if (pod.noticeLeak()) {
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
}
