package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PlacementRequests;
import dev.cotenant.admission.decision.PodPlacement;
import dev.cotenant.admission.fit.Demand;
import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.gate.EquivalenceClass.RequestClass;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.inventory.Eligibility.Excluded;
import dev.cotenant.admission.inventory.Eligibility.Way;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.StaleMetrics;
import dev.cotenant.admission.targeting.Targeting;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides about gated pods by their policies. Tries in turn:
 *
 * <ol>
 *   <li>a share where the model is registered, else whole GPUs;
 *   <li>a whole GPU among those that pods cannot share by the policy's targeting;
 *   <li>a whole GPU after {@code max-wait}, with fallback {@code exclusive};
 *   <li>a whole GPU without metrics, with {@code stale-metrics} {@code exclusive}.
 * </ol>
 *
 * On GPUs without metrics, grants count as usage for whole GPUs under {@code ALLOW} and {@code
 * EXCLUSIVE}, and for shares under {@code ALLOW}.
 */
final class Deciding {
  private static final String NO_CHOICE = "targeting node-only cannot select one of a node's GPUs";

  private final PodPlacement placement;
  private final Supplier<Policies> policies;
  private final GatePorts ports;
  private PlacementRequests requests;
  private final Eligibility eligibility;
  private final Term term;
  private final Map<RequestClass, PlacementRequest> cache = new HashMap<>();
  private @Nullable ClusterSnapshot plain;
  private @Nullable ClusterSnapshot withGrantedUsage;

  Deciding(GatePorts ports, Eligibility eligibility, Term term) {
    this.ports = ports;
    this.placement = new PodPlacement(ports.decider());
    this.policies = ports.policies();
    this.requests = new PlacementRequests(ports.predictor(), ports.policies().get());
    this.eligibility = eligibility;
    this.term = term;
  }

  /** Drops cached requests: predictions or policies have changed. */
  void forgetRequests() {
    cache.clear();
    requests = new PlacementRequests(ports.predictor(), policies.get());
  }

  /**
   * The input of a decision.
   *
   * @param pod the request of the pod
   * @param equivalence pods of one class have the same decision
   * @param waited time in the queue
   */
  record Subject(Colocatable pod, EquivalenceClass equivalence, Duration waited) {
    /** Its needs of nodes. */
    Needs needs() {
      return equivalence.needs();
    }

    /**
     * The same pod with its requirements on nodes alone: its scheduler may preempt for the rest.
     */
    Subject byGpus() {
      return new Subject(pod, equivalence.on(Needs.of(needs().nodes())), waited);
    }

    /** The same pod where its scheduler checks its needs of nodes. */
    Subject onAnyNode() {
      return new Subject(pod, equivalence.on(Needs.ANY_NODE), waited);
    }
  }

  Policy policy(Colocatable pod) {
    return policies.get().of(pod.pod().namespace());
  }

  Subject subject(WatchedPod watched, Colocatable pod, Duration waited) {
    Policy policy = policy(pod);
    boolean tooLong =
        policy.queue().fallback() == Policy.Fallback.EXCLUSIVE
            && waited.compareTo(policy.queue().maxWait()) >= 0;
    Demand demand = term.placements.demand(watched.pod().namespace(), watched.footprint());
    Needs needs =
        new Needs(
            watched.scheduling().requirements(),
            demand,
            term.avoided.of(watched, ports.clock().instant()));
    @Nullable String claim =
        policy.targeting() == Policy.Targeting.DRA ? Claims.named(watched).orElse(null) : null;
    EquivalenceClass equivalence =
        new EquivalenceClass(
            new RequestClass(policy.name(), pod.gpu(), pod.workload()), needs, claim, tooLong);
    return new Subject(pod, equivalence, waited);
  }

  /** The placement request of a pod, before any fallback. */
  PlacementRequest request(Subject subject, ClusterSnapshot cluster) {
    PlacementRequest known =
        cache.computeIfAbsent(
            subject.equivalence().request(), _ -> requests.about(subject.pod(), cluster));
    String name = subject.pod().pod().toString();
    return switch (known) {
      case PlacementRequest.Share share ->
          new PlacementRequest.Share(name, share.predictions(), share.limits());
      case PlacementRequest.Whole whole ->
          new PlacementRequest.Whole(name, whole.gpus(), whole.because(), whole.predictions());
    };
  }

  /**
   * Decides.
   *
   * @param allowed GPUs that are not reserved for other pods; null for all
   */
  Decision decide(
      ClusterSnapshot cluster, Subject subject, @Nullable Predicate<GpuSnapshot> allowed) {
    Policy policy = policy(subject.pod());
    PlacementRequest request = request(subject, cluster);
    boolean share = request instanceof PlacementRequest.Share;
    StaleMetrics stale = policy.staleMetrics();
    boolean countsGrants =
        stale == StaleMetrics.ALLOW || (stale == StaleMetrics.EXCLUSIVE && !share);
    Decision first =
        decide(
            new Attempt(
                countsGrants ? withGrantedUsage(cluster) : cluster, subject, request, allowed));
    if (first instanceof Decision.Admitted
        || !(request instanceof PlacementRequest.Share shareRequest)) {
      return first;
    }
    Decision decision = first;
    ClusterSnapshot view = stale == StaleMetrics.HOLD ? cluster : withGrantedUsage(cluster);
    Predicate<GpuSnapshot> unshareable = eligibility.unshareable(Targeting.of(policy.targeting()));
    if (unshareable != null) {
      PlacementRequest whole =
          PodPlacement.whole(shareRequest, new ExclusiveCause.NotShareable(NO_CHOICE));
      decision = orElse(decision, new Attempt(view, subject, whole, and(allowed, unshareable)));
    }
    if (decision instanceof Decision.Admitted) {
      return decision;
    }
    if (subject.equivalence().waitedTooLong()) {
      var because = new ExclusiveCause.WaitTimeout(subject.waited(), policy.queue().maxWait());
      PlacementRequest whole = PodPlacement.whole(shareRequest, because);
      decision = orElse(decision, new Attempt(view, subject, whole, allowed));
    } else if (stale == StaleMetrics.EXCLUSIVE && isPartlyUnmeasured(cluster)) {
      Predicate<GpuSnapshot> unmeasured = gpu -> !isMeasured(cluster.find(gpu.uuid()).orElse(gpu));
      decision =
          orElse(
              decision,
              new Attempt(
                  withGrantedUsage(cluster),
                  subject,
                  PodPlacement.whole(shareRequest, new ExclusiveCause.MetricsMissing()),
                  and(allowed, unmeasured)));
    }
    return decision;
  }

  /** Decides on one eligible GPU; without metrics its grants count as usage. */
  Decision decideOn(GpuSnapshot gpu, Instant takenAt, Colocatable pod, PlacementRequest request) {
    GpuSnapshot usable = isMeasured(gpu) ? gpu : unused(gpu);
    return placement.decide(new ClusterSnapshot(takenAt, List.of(usable)), pod, request, null);
  }

  private record Attempt(
      ClusterSnapshot cluster,
      Subject subject,
      PlacementRequest request,
      @Nullable Predicate<GpuSnapshot> allowed) {}

  private Decision orElse(Decision refused, Attempt next) {
    return PodPlacement.orElse(refused, decide(next));
  }

  private Decision decide(Attempt attempt) {
    Subject subject = attempt.subject();
    Extent extent =
        attempt.request() instanceof PlacementRequest.Share ? Extent.SHARE : Extent.WHOLE;
    Targeting targeting = Targeting.of(policy(subject.pod()).targeting());
    Excluded excluded = eligibility.excluded(subject.needs(), new Way(targeting, extent));
    @Nullable Predicate<GpuSnapshot> among =
        and(
            and(excluded.filter(), attempt.allowed()),
            term.claims.filter(subject.equivalence().claim()));
    Decision decision =
        placement.decide(attempt.cluster(), subject.pod(), attempt.request(), among);
    boolean isFinal =
        decision instanceof Decision.Admitted
            || (decision instanceof Decision.Denied && among == null);
    // The excluded GPUs can change, so a denial among the others is only a hold.
    return isFinal ? decision : new Decision.Held(withNodes(decision.reasons(), excluded));
  }

  /** The reasons of the nodes, where no GPU is eligible. */
  private static List<Reason> withNodes(List<Reason> reasons, Excluded excluded) {
    if (excluded.isEmpty()) {
      return reasons;
    }
    return new DeferredReasons(() -> {
      List<Reason> nodes = excluded.reasons();
      boolean onlyNodes =
          reasons.getFirst() instanceof Reason.NoCandidateGpu none && none.gpusInCluster() == 0;
      return onlyNodes ? nodes : joined(reasons, nodes);
    });
  }

  private static List<Reason> joined(List<Reason> first, List<Reason> second) {
    List<Reason> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  private static @Nullable Predicate<GpuSnapshot> and(
      @Nullable Predicate<GpuSnapshot> one, @Nullable Predicate<GpuSnapshot> other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.and(other);
  }

  private static boolean isMeasured(GpuSnapshot gpu) {
    return gpu.memory() instanceof MemoryOutlook.Measured;
  }

  private static GpuSnapshot unused(GpuSnapshot gpu) {
    return gpu.withMemory(
        new MemoryOutlook.Measured(
            MemorySize.ZERO, MemorySize.ZERO, Duration.ZERO, Duration.ZERO, List.of()));
  }

  @SuppressWarnings("ReferenceEquality") // snapshots are cached by identity
  private ClusterSnapshot withGrantedUsage(ClusterSnapshot cluster) {
    ClusterSnapshot known = withGrantedUsage;
    if (known == null || plain != cluster) {
      List<GpuSnapshot> unmeasured = new ArrayList<>();
      for (GpuSnapshot gpu : cluster.gpus()) {
        if (!isMeasured(gpu)) {
          unmeasured.add(unused(gpu));
        }
      }
      known = cluster.with(unmeasured);
      plain = cluster;
      withGrantedUsage = known;
    }
    return known;
  }

  @SuppressWarnings("ReferenceEquality") // an unchanged snapshot is the same object
  private boolean isPartlyUnmeasured(ClusterSnapshot cluster) {
    return withGrantedUsage(cluster) != cluster;
  }

  /** Whether the maximum wait has passed, with fallback unmanaged. */
  static boolean isOver(Policy policy, TrackedPod pod, Instant now) {
    return policy.queue().fallback() == Policy.Fallback.UNMANAGED
        && pod.waited(now).compareTo(policy.queue().maxWait()) >= 0;
  }

  /** The end of the maximum wait; null where there is none, or it has passed. */
  static @Nullable Instant maxWaitEnds(Policy policy, TrackedPod pod, Instant now) {
    Instant end = pod.waitingSince().plus(policy.queue().maxWait());
    return policy.queue().fallback() == Policy.Fallback.HOLD || !end.isAfter(now) ? null : end;
  }
}
