package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that is expected for released pods until their scheduler binds them.
 *
 * <p>A nomination counts for the decisions on gated pods, so that no more pods are released than
 * can run, and gives way to bindings. It ends after {@link GateSettings#nomination} where the
 * scheduler has refused the pod, which must not keep others from an idle GPU, and after ten times
 * as long where the scheduler has not tried it. One that relies on preemption ends at once where
 * the scheduler preempts nothing. The scheduler may still place the pod; the next nomination
 * follows after a pause, doubled each time.
 */
final class Nominations {
  /** How many times as long a pod is waited for that its scheduler has not refused yet. */
  private static final int UNTRIED = 10;

  private static final Comparator<TrackedPod> BY_PRIORITY =
      Comparator.comparingInt((TrackedPod pod) -> pod.latest().scheduling().priority())
          .reversed()
          .thenComparing(pod -> pod.latest().life().createdAt())
          .thenComparing(TrackedPod::uid);

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Deciding deciding;
  private final Refusals refusals;

  Nominations(
      GatePorts ports, GateSettings settings, Term term, Deciding deciding, Refusals refusals) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.deciding = deciding;
    this.refusals = refusals;
  }

  /**
   * Ends nominations, and nominates capacity for released pods without.
   *
   * @return pods that no capacity fits and whose maximum wait has passed, with fallback unmanaged
   */
  List<TrackedPod> renew(Instant now, Due due) {
    List<TrackedPod> released = List.copyOf(term.pods().released());
    released.forEach(pod -> lapse(pod, now, due));
    List<TrackedPod> over = new ArrayList<>();
    for (TrackedPod pod : released.stream().filter(this::isWithout).sorted(BY_PRIORITY).toList()) {
      if (isOverAfter(pod, now, due)) {
        over.add(pod);
      }
    }
    return over;
  }

  private void lapse(TrackedPod pod, Instant now, Due due) {
    @Nullable PodGrant grant = term.ledger().find(pod.uid()).orElse(null);
    if (grant == null || !grant.isNomination()) {
      return;
    }
    Instant end = grant.grantedAt().plus(duration(pod));
    if (pod.latest().life().terminating()) {
      term.ledger().release(pod.uid());
    } else if (now.isBefore(end)) {
      due.at(end);
    } else {
      term.ledger().release(pod.uid());
      pod.nominations().lapsed(now, settings.nomination());
    }
  }

  /** How long a nomination lasts. */
  private Duration duration(TrackedPod pod) {
    WatchedPod.Unschedulable refusal = pod.latest().life().unschedulable();
    if (refusal == null) {
      return settings.nomination().multipliedBy(UNTRIED);
    }
    boolean inVain = pod.nominations().reliesOnPreemption() && refusal.preemptsOn() == null;
    return inVain ? Duration.ZERO : settings.nomination();
  }

  private boolean isWithout(TrackedPod pod) {
    return pod.writes().areSettled()
        && pod.latest().request() instanceof Colocatable
        && ports.isPlacedByScheduler(pod.latest())
        && !pod.latest().life().terminating()
        && term.ledger().find(pod.uid()).isEmpty();
  }

  /** Nominates capacity unless it pauses; whether nothing fits and the maximum wait has passed. */
  private boolean isOverAfter(TrackedPod pod, Instant now, Due due) {
    Policy policy = ports.policies().get().of(pod.latest().pod().namespace());
    boolean over = pod.waiting().isOver(policy, now);
    boolean pauses = now.isBefore(pod.nominations().notBefore());
    due.at(pauses ? pod.nominations().notBefore() : null);
    due.at(pod.waiting().ends(policy, now));
    if (pauses && !over) {
      return false;
    }
    Decision.@Nullable Admitted admitted = capacity(pod, now);
    if (admitted != null && !pauses) {
      term.ledger().nominate(PodGrant.of(pod.uid(), pod.latest().pod(), admitted, now));
      due.at(now.plus(settings.nomination()));
    }
    return admitted == null && over;
  }

  private Decision.@Nullable Admitted capacity(TrackedPod pod, Instant now) {
    WatchedPod state = pod.latest();
    if (!(state.request() instanceof Colocatable request)) {
      return null;
    }
    Subject subject = deciding.subject(state, request, pod.waiting().waited(now));
    ClusterSnapshot cluster = term.cluster().snapshot();
    @Nullable PlacementRequest requested = deciding.request(subject, cluster);
    if (requested == null) {
      return null;
    }
    pod.requests(requested);
    Decision.@Nullable Admitted admitted = admitted(subject, cluster).orElse(null);
    if (admitted == null) {
      pod.nominations().relyOnPreemption();
    } else {
      pod.nominations().relyOnNothing();
    }
    if (admitted == null && ports.mayPreempt(state)) {
      admitted = byPreemption(state, subject.byGpus(), cluster).orElse(null);
    }
    return admitted;
  }

  /** GPUs where the scheduler preempts, or anywhere as long as it has not tried to. */
  private Optional<Decision.Admitted> byPreemption(
      WatchedPod pod, Subject byGpus, ClusterSnapshot cluster) {
    WatchedPod.Unschedulable refusal = pod.life().unschedulable();
    if (refusal == null) {
      return admitted(byGpus, cluster);
    }
    String node = refusal.preemptsOn();
    return node != null
            && deciding.decide(cluster, byGpus, gpu -> gpu.node().equals(node))
                instanceof Decision.Admitted admitted
        ? Optional.of(admitted)
        : Optional.empty();
  }

  private Optional<Decision.Admitted> admitted(Subject subject, ClusterSnapshot cluster) {
    if (refusals.find(subject, cluster) != null) {
      return Optional.empty();
    }
    Decision decision = deciding.decide(cluster, subject, null);
    if (decision instanceof Decision.Admitted admitted) {
      return Optional.of(admitted);
    }
    refusals.put(subject, cluster, decision);
    return Optional.empty();
  }
}
