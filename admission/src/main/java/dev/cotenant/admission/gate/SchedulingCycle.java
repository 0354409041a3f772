package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PodPlacement;
import dev.cotenant.admission.gate.Deciding.Subject;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One run over the queue: decides about every gated pod without a pending write, grants what fits,
 * and ungates pods that are no longer enforced.
 *
 * <p>Later pods may be granted capacity before an earlier one that does not fit (back-fill). Each
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
  private final ReservedCapacity reservedCapacity;

  SchedulingCycle(
      GatePorts ports, Term term, Deciding deciding, Eligibility eligibility, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.eligibility = eligibility;
    this.writes = writes;
    this.refusals = new Refusals(term, deciding);
    this.reservedCapacity = new ReservedCapacity(term, deciding, eligibility);
  }

  /** A gated pod and its queue position. */
  record Place(TrackedPod pod, WatchedPod state, @Nullable Colocatable asked, QueueOrder order)
      implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      return order.compareTo(other.order);
    }
  }

  /** All gated pods in queue order, including those that cannot be decided on yet. */
  List<Place> queue(Instant now) {
    ClusterSnapshot cluster = term.occupancy.snapshot();
    List<Place> queue = new ArrayList<>(term.held.size());
    for (TrackedPod pod : term.held.values()) {
      WatchedPod state = pod.latest();
      @Nullable Colocatable asked =
          state.request() instanceof Colocatable colocatable ? colocatable : null;
      Policy policy = ports.policies().get().of(state.pod().namespace());
      long memory = asked == null ? 0 : memoryBytes(pod, asked, policy, now, cluster);
      queue.add(
          new Place(
              pod, state, asked, QueueOrder.of(state, policy.queue(), pod.waited(now), memory)));
    }
    queue.sort(null);
    return queue;
  }

  /** The memory of the queue order: the largest prediction, else the declared memory. */
  private long memoryBytes(
      TrackedPod pod, Colocatable asked, Policy policy, Instant now, ClusterSnapshot cluster) {
    if (policy.queue().ordering() != Policy.Ordering.LARGEST_MEMORY_FIRST) {
      return 0;
    }
    Subject subject = deciding.subject(pod.latest(), asked, pod.waited(now));
    long predicted =
        deciding.request(subject, cluster).predictions().values().stream()
            .mapToLong(prediction -> prediction.peakMemory().upper().bytes())
            .max()
            .orElse(0);
    long declared =
        asked.declaredMemory().map(memory -> memory.on(MemorySize.ofGiB(1)).bytes()).orElse(0L);
    return Math.max(predicted, declared) * asked.gpu().gpus();
  }

  /** Decides and grants in the order of the queue. */
  void decide(List<Place> queue, Instant now) {
    BlockedPods ahead = new BlockedPods();
    for (Place place : queue) {
      if (isUnmanaged(place)) {
        ungate(place, "the policy of its namespace does not hold pods any more");
      } else if (place.asked() == null) {
        undecidable(place);
      } else if (isReady(place.pod(), now)) {
        decide(place, place.asked(), new CycleState(ahead, now));
      } else if (isReportPending(place.pod(), now)) {
        staysBlocked(place, place.asked(), new CycleState(ahead, now));
      }
    }
  }

  /** Pods without capacity so far in this cycle. */
  private record CycleState(BlockedPods ahead, Instant now) {}

  private static boolean isReady(TrackedPod pod, Instant now) {
    WatchedPod state = pod.current();
    return pod.inFlight == InFlight.NONE
        && pod.pendingWrite == null
        && pod.isHeldByUsAlone()
        && state != null
        && state.isHeldByUsAlone()
        && !state.life().terminating()
        && !now.isBefore(pod.notBefore);
  }

  /** Whether only an outstanding status report prevents a decision. */
  private static boolean isReportPending(TrackedPod pod, Instant now) {
    @Nullable PendingWrite pendingWrite = pod.pendingWrite;
    boolean told =
        pendingWrite == null
            ? pod.current() == null
            : pendingWrite.purpose() instanceof PendingWrite.Report;
    return told
        && pod.inFlight == InFlight.NONE
        && pod.isHeldByUsAlone()
        && !pod.latest().life().terminating()
        && !now.isBefore(pod.notBefore);
  }

  /** Leaves a pod among the blocked ones. */
  private void staysBlocked(Place place, Colocatable asked, CycleState line) {
    TrackedPod pod = place.pod();
    Refusal last = pod.refused();
    if (last != null && last.decision() instanceof Decision.Held && pod.request != null) {
      Subject subject = deciding.subject(place.state(), asked, pod.waited(line.now()));
      line.ahead()
          .add(pod, deciding.policy(asked).queue().maxSkips(), couldUse(subject, pod.request));
    }
  }

  private boolean isUnmanaged(Place place) {
    String namespace = place.state().pod().namespace();
    boolean enforced =
        ports.policies().get().of(namespace).mode() == Policy.Mode.ENFORCE
            && ports.optedIn().test(namespace);
    return !enforced
        || switch (place.state().request()) {
          case PodRequest.NoGpu _, PodRequest.OptedOut _, PodRequest.MigInstance _ -> true;
          case PodRequest.Invalid _, PodRequest.Colocatable _ -> false;
        };
  }

  private static void undecidable(Place place) {
    if (place.state().request() instanceof PodRequest.Invalid(var _, List<String> problems)) {
      place.pod().refuse(Refusal.of(new Reason.RequestInvalid(problems)));
    }
  }

  /** Removes our gate, whether or not others are present. */
  private void ungate(Place place, String why) {
    TrackedPod pod = place.pod();
    WatchedPod state = pod.current();
    boolean free =
        pod.pendingWrite == null
            && pod.inFlight == InFlight.NONE
            && !ports.clock().instant().isBefore(pod.notBefore);
    if (free && state != null && state.hasOurGate()) {
      term.release(pod.uid());
      writes.send(pod, state, new PendingWrite.UngateUnmanaged(why), PodPatches.ungate(state, why));
    }
  }

  private void decide(Place place, Colocatable asked, CycleState line) {
    TrackedPod pod = place.pod();
    Subject subject = deciding.subject(place.state(), asked, pod.waited(line.now()));
    ClusterSnapshot cluster = term.occupancy.snapshot();
    pod.request = deciding.request(subject, cluster);
    @Nullable PodGrant reserved = term.reserved(pod.uid());
    if (reserved != null) {
      @Nullable PodGrant taken = reservedCapacity.taken(reserved, subject, pod.request, line.now());
      if (taken != null) {
        ungateGranted(place, asked, taken, line.now());
        return;
      }
      term.tokenHolders.remove(pod.uid()); // the reservation would block its own pod
      term.grants.release(pod.uid());
      cluster = term.occupancy.snapshot();
    }
    if (isUnmanagedByPolicy(subject, pod.request)) {
      ungate(place, "ModelUnknown: the policy leaves pods of unregistered models unmanaged");
      return;
    }
    Answer answer = decide(subject, cluster);
    if (answer instanceof Fits(Decision.Admitted admitted)) {
      answer = besideBlocked(subject, cluster, admitted, line);
    }
    switch (answer) {
      case Fits(Decision.Admitted admitted) -> grant(place, asked, admitted, line);
      case Refused(Refusal refusal) -> refuse(place, subject, refusal, line);
    }
  }

  private sealed interface Answer {}

  private record Fits(Decision.Admitted admitted) implements Answer {}

  private record Refused(Refusal refusal) implements Answer {}

  private void refuse(Place place, Subject subject, Refusal refusal, CycleState line) {
    TrackedPod pod = place.pod();
    String failed = pod.refusal;
    Refusal own = subject.question().waitedTooLong() ? refusal.waiting(subject.waited()) : refusal;
    pod.refuse(failed == null ? own : own.with(new Reason.GrantRefused(failed)));
    Policy policy = deciding.policy(subject.pod());
    if (isOver(policy, pod, line.now())) {
      String why =
          new Reason.WaitTimeout(pod.waited(line.now()), policy.queue().maxWait()).code()
              + ": waited "
              + pod.waited(line.now()).toSeconds()
              + " s, limit "
              + policy.queue().maxWait().toSeconds()
              + " s";
      ungate(place, why);
    } else if (refusal.decision() instanceof Decision.Held && pod.request != null) {
      line.ahead().add(pod, policy.queue().maxSkips(), couldUse(subject, pod.request));
    }
  }

  private boolean isUnmanagedByPolicy(Subject subject, PlacementRequest request) {
    return deciding.policy(subject.pod()).unknownModels() == Policy.UnknownModels.UNMANAGED
        && request instanceof PlacementRequest.Whole whole
        && whole.because() instanceof ExclusiveCause.ModelUnknown;
  }

  /** Whether the maximum wait has passed, with fallback unmanaged. */
  private static boolean isOver(Policy policy, TrackedPod pod, Instant now) {
    return policy.queue().fallback() == Policy.Fallback.UNMANAGED
        && pod.waited(now).compareTo(policy.queue().maxWait()) >= 0;
  }

  private Answer decide(Subject subject, ClusterSnapshot cluster) {
    Refusal known = refusals.find(subject, cluster);
    if (known != null) {
      return new Refused(known);
    }
    Decision decision = deciding.decide(cluster, subject, null);
    return decision instanceof Decision.Admitted admitted
        ? new Fits(admitted)
        : new Refused(refusals.put(subject, cluster, decision));
  }

  private Answer besideBlocked(
      Subject subject, ClusterSnapshot cluster, Decision.Admitted admitted, CycleState line) {
    TrackedPod first = line.ahead().firstInTheWay(cluster, admitted).orElse(null);
    if (first == null) {
      return new Fits(admitted);
    }
    Predicate<GpuSnapshot> free = gpu -> !line.ahead().keep(gpu);
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
            .excluded(
                subject.nodes(),
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
  private void grant(Place place, Colocatable asked, Decision.Admitted admitted, CycleState line) {
    TrackedPod pod = place.pod();
    line.ahead().skipped(term.occupancy.snapshot(), admitted);
    term.tokenHolders.remove(pod.uid()); // its reservation is not used
    PodGrant grant =
        new PodGrant(
            pod.uid(),
            place.state().pod(),
            admitted,
            PodGrant.extent(admitted),
            PodGrant.promised(admitted),
            line.now(),
            new PodGrant.Held(null));
    ungateGranted(place, asked, grant, line.now());
  }

  private void ungateGranted(Place place, Colocatable asked, PodGrant grant, Instant now) {
    TrackedPod pod = place.pod();
    WatchedPod state = pod.current();
    Decision.Admitted admitted = grant.admitted();
    @Nullable WatchedNode node = term.inventory.node(grant.node()).orElse(null);
    if (state == null || node == null) {
      throw new IllegalStateException("granted " + pod.uid() + " capacity where it cannot be sent");
    }
    pod.admit(admitted);
    term.grants.put(grant);
    term.claims.put(state, grant);
    Targeting targeting = Targeting.of(deciding.policy(asked).targeting());
    writes.send(
        pod,
        state,
        new PendingWrite.UngateGranted(grant, now),
        PodPatches.grant(state, grant, node, targeting));
    targeting
        .warnings(asked, admitted)
        .forEach(
            warning -> ports.cluster().report(state, StatusReport.warning("Targeting", warning)));
  }
}
