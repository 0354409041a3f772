package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Preemption;
import dev.cotenant.admission.gate.state.Refusal;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Evictions;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One run over the queue: decides about every gated pod without a pending write, grants what fits,
 * and ungates pods that are no longer enforced.
 *
 * <p>Later pods may be granted capacity before an earlier one that does not fit (backfill). Each
 * such grant of a GPU that the earlier pod could use if free is a skip. After {@code max-skips},
 * GPUs usable by the earlier pod are reserved: later pods get different ones, or are held with
 * {@link Reason.QueuedBehind}. Nothing is reserved while another cause than capacity blocks the
 * pod, such as a refused write, nor where it can never fit.
 */
public final class SchedulingCycle {
  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final CandidateGpus candidates;
  private final Granting granting;
  private final Refusals refusals;
  private final Nominations nominations;
  private final ReservedCapacity reservedCapacity;
  private final Preempting preempting;
  private final MigClaims migClaims;

  public SchedulingCycle(
      GatePorts ports,
      GateSettings settings,
      Term term,
      Deciding deciding,
      Eligibility eligibility,
      Writes writes) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.candidates = new CandidateGpus(deciding, eligibility);
    this.granting = new Granting(ports, term, deciding, writes);
    this.refusals = new Refusals(term, deciding);
    this.migClaims = new MigClaims(ports, settings, term, deciding, granting, writes);
    this.nominations = new Nominations(ports, settings, term, deciding, refusals);
    this.reservedCapacity = new ReservedCapacity(term, deciding, eligibility);
    this.preempting =
        new Preempting(
            ports, settings, term, deciding, new Evictions(ports, settings, term, writes));
  }

  /** Decides and grants in the order of the queue; released pods come before gated ones. */
  public void decide(List<QueuedPod> queue, Instant now, Due due) {
    preempting.beginCycle();
    for (TrackedPod pod : nominations.renew(now, due)) {
      granting.unmanage(pod, timeout(pod, now));
    }
    CycleState cycle = new CycleState(new BlockedPods(), now, due);
    for (QueuedPod queued : queue) {
      if (isUnmanaged(queued)) {
        granting.ungate(queued, "the policy of its namespace no longer gates pods");
      } else if (queued.request() == null) {
        refuseInvalid(queued);
      } else if (queued.isReady(now)) {
        Colocatable request = queued.request();
        ports.listener().deciding(queued.state(), () -> decide(queued, request, cycle));
      } else if (queued.isReportPending(now)) {
        staysBlocked(queued, queued.request(), cycle);
      }
    }
  }

  /** Pods without capacity so far in this cycle, its time, and the time of the next. */
  private record CycleState(BlockedPods ahead, Instant now, Due due) {}

  /** Leaves a pod among the blocked ones. */
  private void staysBlocked(QueuedPod queued, Colocatable request, CycleState cycle) {
    TrackedPod pod = queued.pod();
    Refusal last = pod.refused();
    @Nullable PlacementRequest requested = pod.request();
    if (last != null && last.decision() instanceof Decision.Held && requested != null) {
      Subject subject = deciding.subject(queued.state(), request, queued.waited(cycle.now()));
      cycle
          .ahead()
          .add(pod, deciding.policy(request).queue().maxSkips(), candidates.of(subject, requested));
    }
  }

  private boolean isUnmanaged(QueuedPod queued) {
    String namespace = queued.state().pod().namespace();
    boolean enforced =
        ports.policies().get().of(namespace).mode() == Policy.Mode.ENFORCE
            && ports.optedIn().test(namespace);
    return !enforced
        || switch (queued.state().request()) {
          case PodRequest.NoGpu _, PodRequest.OptedOut _, PodRequest.MigInstance _ -> true;
          case PodRequest.Invalid _, PodRequest.Colocatable _ -> false;
        };
  }

  private static void refuseInvalid(QueuedPod queued) {
    if (queued.state().request() instanceof PodRequest.Invalid(_, List<String> problems, _)) {
      queued.pod().refuse(Refusal.of(new Reason.RequestInvalid(problems)));
    }
  }

  private void decide(QueuedPod queued, Colocatable request, CycleState cycle) {
    TrackedPod pod = queued.pod();
    Subject subject = deciding.subject(queued.state(), request, queued.waited(cycle.now()));
    @Nullable PlacementRequest requested = deciding.request(subject, term.cluster().snapshot());
    if (requested == null) {
      pod.refuse(Refusal.of(new Reason.ObjectivePending()));
      cycle.due().at(cycle.now());
      return;
    }
    pod.requests(requested);
    @Nullable PodGrant reserved = term.ledger().reserved(pod.uid());
    if (reserved != null) {
      @Nullable PodGrant taken = reservedCapacity.taken(reserved, subject, requested, cycle.now());
      if (taken != null) {
        granting.ungateGranted(queued, request, taken);
        return;
      }
      term.ledger().release(pod.uid()); // the reservation would block its own pod
    }
    if (isUnmanagedByPolicy(subject, requested)) {
      granting.ungate(
          queued, "ModelUnknown: the policy leaves pods of unregistered models unmanaged");
      return;
    }
    if (migClaims.take(queued, subject)) {
      return;
    }
    // Its own hold is no obstacle: it counts again where the pod still does not fit.
    @Nullable Preemption underWay = term.preemptions().suspend(pod.uid());
    switch (outcome(queued, subject, underWay, cycle)) {
      case Fits(Decision.Admitted admitted) -> {
        cycle.ahead().skipped(term.cluster().snapshot(), admitted);
        if (underWay != null) {
          pod.nominations().preempt();
          cycle.due().at(cycle.now()); // earlier pods of this cycle may fit where its hold was
        }
        term.preemptions().end(pod.uid());
        term.ledger().dropAdmissionId(pod.uid()); // its reservation is not used
        granting.grant(queued, request, admitted, cycle.now());
      }
      case Refused(Refusal refusal) -> refuse(queued, subject, refusal, cycle);
    }
  }

  private Outcome outcome(
      QueuedPod queued, Subject subject, @Nullable Preemption underWay, CycleState cycle) {
    TrackedPod pod = queued.pod();
    ClusterSnapshot cluster = term.cluster().snapshot();
    Outcome outcome = decide(subject, cluster);
    Subject toFit = subject;
    if (outcome instanceof Refused && ports.mayPreempt(queued.state())) {
      toFit = subject.byGpus();
      Outcome byGpus = decide(toFit, cluster);
      outcome = byGpus instanceof Fits ? byGpus : outcome;
      if (byGpus instanceof Fits) {
        pod.nominations().relyOnPreemption();
      } else {
        pod.nominations().relyOnNothing();
      }
    }
    return switch (outcome) {
      case Fits fits when underWay != null -> fits;
      case Fits(Decision.Admitted admitted) -> besideBlocked(subject, cluster, admitted, cycle);
      case Refused(Refusal refusal) when refusal.decision() instanceof Decision.Denied -> outcome;
      case Refused refused ->
          preempting
              .preempt(pod, toFit, underWay, cycle.due())
              .<Outcome>map(Fits::new)
              .orElse(refused);
    };
  }

  private sealed interface Outcome {}

  private record Fits(Decision.Admitted admitted) implements Outcome {}

  private record Refused(Refusal refusal) implements Outcome {}

  private void refuse(QueuedPod queued, Subject subject, Refusal refusal, CycleState cycle) {
    TrackedPod pod = queued.pod();
    String failed = pod.writes().refusal();
    Refusal own =
        subject.equivalence().waitedTooLong() ? refusal.waiting(subject.waited()) : refusal;
    pod.refuse(failed == null ? own : own.with(new Reason.GrantRefused(failed)));
    Policy policy = deciding.policy(subject.pod());
    @Nullable PlacementRequest requested = pod.request();
    if (pod.waiting().isOver(policy, cycle.now())) {
      granting.ungate(queued, timeout(pod, cycle.now()));
    } else if (refusal.decision() instanceof Decision.Held && requested != null) {
      cycle.ahead().add(pod, policy.queue().maxSkips(), candidates.of(subject, requested));
    }
  }

  private boolean isUnmanagedByPolicy(Subject subject, PlacementRequest request) {
    return deciding.policy(subject.pod()).unknownModels() == Policy.UnknownModels.UNMANAGED
        && request instanceof PlacementRequest.Whole whole
        && whole.because() instanceof ExclusiveCause.ModelUnknown unknown
        && !unknown.isPending();
  }

  private String timeout(TrackedPod pod, Instant now) {
    Duration limit = ports.policies().get().of(pod.latest().pod().namespace()).queue().maxWait();
    Duration waited = pod.waiting().waited(now);
    return new Reason.WaitTimeout(waited, limit).code()
        + ": waited "
        + waited.toSeconds()
        + " s, limit "
        + limit.toSeconds()
        + " s";
  }

  private Outcome decide(Subject subject, ClusterSnapshot cluster) {
    Refusal known = refusals.find(subject, cluster);
    if (known != null) {
      return new Refused(known);
    }
    Decision decision = deciding.decide(cluster, subject, null);
    return decision instanceof Decision.Admitted admitted
        ? new Fits(admitted)
        : new Refused(refusals.put(subject, cluster, decision));
  }

  private Outcome besideBlocked(
      Subject subject, ClusterSnapshot cluster, Decision.Admitted admitted, CycleState cycle) {
    TrackedPod first = cycle.ahead().firstBlocking(cluster, admitted).orElse(null);
    if (first == null) {
      return new Fits(admitted);
    }
    Predicate<GpuSnapshot> free = gpu -> !cycle.ahead().isReserved(gpu);
    return deciding.decide(cluster, subject, free) instanceof Decision.Admitted elsewhere
        ? new Fits(elsewhere)
        : new Refused(
            Refusal.of(
                new Reason.QueuedBehind(first.latest().pod().toString(), first.waiting().skips())));
  }
}
