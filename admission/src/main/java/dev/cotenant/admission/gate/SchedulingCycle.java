package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PodPlacement;
import dev.cotenant.admission.gate.Deciding.Subject;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.targeting.Targeting;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One run over the queue: decides about every gated pod without a pending write, grants what fits,
 * and ungates pods that are no longer enforced.
 *
 * <p>Later pods may be granted capacity before an earlier one that does not fit (backfill). Each
 * such grant of a GPU that the earlier pod could use, were it free, is a skip. After {@code
 * max-skips} the GPUs that it could use are reserved for it: later pods get others, or are held
 * with {@link Reason.QueuedBehind}. Nothing is reserved while another cause than capacity blocks
 * the pod, such as a refused write, nor where it can never fit.
 */
final class SchedulingCycle {
  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final Eligibility eligibility;
  private final Writes writes;
  private final Refusals refusals;
  private final Nominations nominations;
  private final ReservedCapacity reservedCapacity;

  SchedulingCycle(
      GatePorts ports,
      GateSettings settings,
      Term term,
      Deciding deciding,
      Eligibility eligibility,
      Writes writes) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.eligibility = eligibility;
    this.writes = writes;
    this.refusals = new Refusals(term, deciding);
    this.nominations = new Nominations(ports, settings, term, deciding, refusals);
    this.reservedCapacity = new ReservedCapacity(term, deciding, eligibility);
  }

  /** A gated pod and its queue position. */
  record QueuedPod(
      TrackedPod pod, WatchedPod state, @Nullable Colocatable request, QueueOrder order)
      implements Comparable<QueuedPod> {
    @Override
    public int compareTo(QueuedPod other) {
      return order.compareTo(other.order);
    }
  }

  /** All gated pods in queue order, including those that cannot be decided on yet. */
  List<QueuedPod> queue(Instant now) {
    ClusterSnapshot cluster = term.occupancy.snapshot();
    List<QueuedPod> queue = new ArrayList<>(term.gated.size());
    for (TrackedPod pod : term.gated.values()) {
      WatchedPod state = pod.latest();
      @Nullable Colocatable request =
          state.request() instanceof Colocatable colocatable ? colocatable : null;
      Policy policy = ports.policies().get().of(state.pod().namespace());
      long memory = request == null ? 0 : memoryBytes(pod, request, policy, now, cluster);
      queue.add(
          new QueuedPod(
              pod, state, request, QueueOrder.of(state, policy.queue(), pod.waited(now), memory)));
    }
    queue.sort(null);
    return queue;
  }

  /** The memory of the queue order: the largest prediction, else the declared memory. */
  private long memoryBytes(
      TrackedPod pod, Colocatable request, Policy policy, Instant now, ClusterSnapshot cluster) {
    if (policy.queue().ordering() != Policy.Ordering.LARGEST_MEMORY_FIRST) {
      return 0;
    }
    Subject subject = deciding.subject(pod.latest(), request, pod.waited(now));
    long predicted =
        deciding.request(subject, cluster).predictions().values().stream()
            .mapToLong(prediction -> prediction.peakMemory().upper().bytes())
            .max()
            .orElse(0);
    long declared =
        request.declaredMemory().map(memory -> memory.on(MemorySize.ofGiB(1)).bytes()).orElse(0L);
    return Math.max(predicted, declared) * request.gpu().gpus();
  }

  /** Decides and grants in the order of the queue; released pods come before gated ones. */
  void decide(List<QueuedPod> queue, Instant now, Due due) {
    for (TrackedPod pod : nominations.renew(now, due)) {
      unmanage(pod, timeout(pod, now));
    }
    BlockedPods ahead = new BlockedPods();
    for (QueuedPod queued : queue) {
      if (isUnmanaged(queued)) {
        ungate(queued, "the policy of its namespace does not gate pods any more");
      } else if (queued.request() == null) {
        refuseInvalid(queued);
      } else if (isReady(queued.pod(), now)) {
        decide(queued, queued.request(), new CycleState(ahead, now));
      } else if (isReportPending(queued.pod(), now)) {
        staysBlocked(queued, queued.request(), new CycleState(ahead, now));
      }
    }
  }

  /** Pods without capacity so far in this cycle. */
  private record CycleState(BlockedPods ahead, Instant now) {}

  private static boolean isReady(TrackedPod pod, Instant now) {
    WatchedPod state = pod.current();
    return pod.inFlight == InFlight.NONE
        && pod.pendingWrite == null
        && pod.isGatedByUsAlone()
        && state != null
        && state.isGatedByUsAlone()
        && !state.life().terminating()
        && !now.isBefore(pod.notBefore);
  }

  /** Whether only an outstanding status report prevents a decision. */
  private static boolean isReportPending(TrackedPod pod, Instant now) {
    @Nullable PendingWrite pendingWrite = pod.pendingWrite;
    boolean reporting =
        pendingWrite == null
            ? pod.current() == null
            : pendingWrite.purpose() instanceof PendingWrite.Report;
    return reporting
        && pod.inFlight == InFlight.NONE
        && pod.isGatedByUsAlone()
        && !pod.latest().life().terminating()
        && !now.isBefore(pod.notBefore);
  }

  /** Leaves a pod among the blocked ones. */
  private void staysBlocked(QueuedPod queued, Colocatable request, CycleState cycle) {
    TrackedPod pod = queued.pod();
    Refusal last = pod.refused();
    if (last != null && last.decision() instanceof Decision.Held && pod.request != null) {
      Subject subject = deciding.subject(queued.state(), request, pod.waited(cycle.now()));
      cycle
          .ahead()
          .add(pod, deciding.policy(request).queue().maxSkips(), couldUse(subject, pod.request));
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

  /** Removes our gate, whether or not others are present. */
  private void ungate(QueuedPod queued, String why) {
    if (queued.pod().isGated()) {
      unmanage(queued.pod(), why);
    }
  }

  /** Leaves a pod to its scheduler without a grant. */
  private void unmanage(TrackedPod pod, String why) {
    WatchedPod state = pod.current();
    boolean free =
        pod.pendingWrite == null
            && pod.inFlight == InFlight.NONE
            && !ports.clock().instant().isBefore(pod.notBefore);
    if (free && state != null) {
      term.release(pod.uid());
      writes.send(pod, state, new PendingWrite.UngateUnmanaged(why), PodPatches.ungate(state, why));
    }
  }

  private void decide(QueuedPod queued, Colocatable request, CycleState cycle) {
    TrackedPod pod = queued.pod();
    Subject subject = deciding.subject(queued.state(), request, pod.waited(cycle.now()));
    ClusterSnapshot cluster = term.occupancy.snapshot();
    pod.request = deciding.request(subject, cluster);
    @Nullable PodGrant reserved = term.reserved(pod.uid());
    if (reserved != null) {
      @Nullable PodGrant taken =
          reservedCapacity.taken(reserved, subject, pod.request, cycle.now());
      if (taken != null) {
        ungateGranted(queued, request, taken, cycle.now());
        return;
      }
      term.tokenHolders.remove(pod.uid()); // the reservation would block its own pod
      term.grants.release(pod.uid());
      cluster = term.occupancy.snapshot();
    }
    if (isUnmanagedByPolicy(subject, pod.request)) {
      ungate(queued, "ModelUnknown: the policy leaves pods of unregistered models unmanaged");
      return;
    }
    Outcome outcome = decide(subject, cluster);
    if (outcome instanceof Refused && ports.mayPreempt(queued.state())) {
      Outcome byGpus = decide(subject.byGpus(), cluster);
      outcome = byGpus instanceof Fits ? byGpus : outcome;
      queued.pod().reliesOnPreemption = byGpus instanceof Fits;
    }
    if (outcome instanceof Fits(Decision.Admitted admitted)) {
      outcome = besideBlocked(subject, cluster, admitted, cycle);
    }
    switch (outcome) {
      case Fits(Decision.Admitted admitted) -> grant(queued, request, admitted, cycle);
      case Refused(Refusal refusal) -> refuse(queued, subject, refusal, cycle);
    }
  }

  private sealed interface Outcome {}

  private record Fits(Decision.Admitted admitted) implements Outcome {}

  private record Refused(Refusal refusal) implements Outcome {}

  private void refuse(QueuedPod queued, Subject subject, Refusal refusal, CycleState cycle) {
    TrackedPod pod = queued.pod();
    String failed = pod.refusal;
    Refusal own =
        subject.equivalence().waitedTooLong() ? refusal.waiting(subject.waited()) : refusal;
    pod.refuse(failed == null ? own : own.with(new Reason.GrantRefused(failed)));
    Policy policy = deciding.policy(subject.pod());
    if (Deciding.isOver(policy, pod, cycle.now())) {
      ungate(queued, timeout(pod, cycle.now()));
    } else if (refusal.decision() instanceof Decision.Held && pod.request != null) {
      cycle.ahead().add(pod, policy.queue().maxSkips(), couldUse(subject, pod.request));
    }
  }

  private boolean isUnmanagedByPolicy(Subject subject, PlacementRequest request) {
    return deciding.policy(subject.pod()).unknownModels() == Policy.UnknownModels.UNMANAGED
        && request instanceof PlacementRequest.Whole whole
        && whole.because() instanceof ExclusiveCause.ModelUnknown;
  }

  private String timeout(TrackedPod pod, Instant now) {
    Duration limit = ports.policies().get().of(pod.latest().pod().namespace()).queue().maxWait();
    Duration waited = pod.waited(now);
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
            Refusal.of(new Reason.QueuedBehind(first.latest().pod().toString(), first.skips)));
  }

  /** GPUs that would fit, were they free. */
  private Predicate<GpuSnapshot> couldUse(Subject subject, PlacementRequest request) {
    Targeting targeting = Targeting.of(deciding.policy(subject.pod()).targeting());
    boolean share = request instanceof PlacementRequest.Share;
    @Nullable Predicate<GpuSnapshot> allowed =
        eligibility
            .excludedWithoutGrants(
                subject.needs(),
                new Eligibility.Way(targeting, share ? Extent.SHARE : Extent.WHOLE))
            .filter();
    Predicate<GpuSnapshot> fits = gpu -> fitsAlone(gpu, subject, request);
    return allowed == null ? fits : allowed.and(fits);
  }

  /** Whether a GPU would fit, were it free. */
  static boolean fitsAlone(GpuSnapshot gpu, Subject subject, PlacementRequest request) {
    if (gpu.tenancy() instanceof Tenancy.Mig) {
      return false;
    }
    return switch (request) {
      case PlacementRequest.Share share -> {
        @Nullable Prediction prediction = share.predictions().get(gpu.device().id());
        SharingLimits limits = share.limits().on(gpu.device().id());
        yield prediction != null
            && prediction.peakMemory().upper().bytes()
                <= gpu.capacity().bytes() * (1 - limits.memoryHeadroomFraction())
            && prediction.utilization().upper().percent() <= limits.summedUtilization().percent();
      }
      case PlacementRequest.Whole _ ->
          subject
              .pod()
              .declaredMemory()
              .map(declared -> PodPlacement.isLargeEnough(gpu, declared))
              .orElse(true);
    };
  }

  /** Allocates capacity, then ungates the pod. */
  private void grant(
      QueuedPod queued, Colocatable request, Decision.Admitted admitted, CycleState cycle) {
    TrackedPod pod = queued.pod();
    cycle.ahead().skipped(term.occupancy.snapshot(), admitted);
    term.tokenHolders.remove(pod.uid()); // its reservation is not used
    PodGrant grant =
        term.grants.distinct(PodGrant.of(pod.uid(), queued.state().pod(), admitted, cycle.now()));
    if (ports.isPlacedByScheduler(queued.state())) {
      release(queued, grant.in(new PodGrant.Nominated()));
    } else {
      ungateGranted(queued, request, grant, cycle.now());
    }
  }

  /** Nominates capacity, then ungates the pod for its scheduler. */
  private void release(QueuedPod queued, PodGrant nomination) {
    TrackedPod pod = queued.pod();
    @Nullable WatchedPod state = pod.current();
    if (state == null) {
      throw new IllegalStateException("nominated " + pod.uid() + " without a current state");
    }
    pod.admit(nomination.admitted());
    term.grants.put(nomination);
    writes.send(
        pod,
        state,
        new PendingWrite.Release(nomination),
        PodPatches.release(state, GrantAnnotations.reason(nomination.admitted())));
  }

  private void ungateGranted(QueuedPod queued, Colocatable request, PodGrant grant, Instant now) {
    TrackedPod pod = queued.pod();
    WatchedPod state = pod.current();
    Decision.Admitted admitted = grant.admitted();
    @Nullable WatchedNode node = term.inventory.node(grant.node()).orElse(null);
    if (state == null || node == null) {
      throw new IllegalStateException("granted " + pod.uid() + " capacity where it cannot be sent");
    }
    pod.admit(admitted);
    term.grants.put(grant);
    term.claims.put(state, grant);
    Targeting targeting = Targeting.of(deciding.policy(request).targeting());
    writes.send(
        pod,
        state,
        new PendingWrite.UngateGranted(grant, now),
        PodPatches.grant(state, grant, node, targeting));
    targeting
        .warnings(request, admitted)
        .forEach(
            warning -> ports.cluster().report(state, StatusReport.warning("Targeting", warning)));
  }
}
