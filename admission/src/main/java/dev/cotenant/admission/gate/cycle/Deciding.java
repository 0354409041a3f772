package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PlacementRequests;
import dev.cotenant.admission.decision.PodPlacement;
import dev.cotenant.admission.fit.Demand;
import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.gate.cycle.EquivalenceClass.RequestClass;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.inventory.Eligibility.Excluded;
import dev.cotenant.admission.inventory.Eligibility.Way;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.StaleMetrics;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.placement.serving.QueueEffort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides about gated pods by their policies. Tries in turn:
 *
 * <ol>
 *   <li>a share where the model is registered, else whole GPUs; a share of a free GPU where the
 *       configuration is to be measured alone first and has not waited for {@code max-wait};
 *   <li>a whole GPU among those that pods cannot share by the policy's GPU assignment;
 *   <li>a whole GPU after {@code max-wait}, with fallback {@code exclusive};
 *   <li>a whole GPU without metrics, with {@code stale-metrics} {@code exclusive}.
 * </ol>
 *
 * A server of a language model gets no GPU on which another one starts, and no workload a share
 * beside one with which it has anti-affinity.
 *
 * <p>On GPUs without metrics, grants count as usage for whole GPUs under {@code ALLOW} and {@code
 * EXCLUSIVE}, and for shares under {@code ALLOW}.
 */
public final class Deciding {
  private static final String NO_CHOICE =
      "GPU assignment node-only cannot select one of a node's GPUs";

  private final PodPlacement placement;
  private final Supplier<Policies> policies;
  private final GatePorts ports;
  private PlacementRequests requests;
  private final Eligibility eligibility;
  private final Term term;
  private final StartingEngines starting;
  private final Map<RequestClass, PlacementRequest> cache = new HashMap<>();
  private final GrantedUsage usage = new GrantedUsage();
  private QueueEffort effort = QueueEffort.unlimited();

  public Deciding(GatePorts ports, Eligibility eligibility, Term term, StartingEngines starting) {
    this.starting = starting;
    this.ports = ports;
    this.placement = new PodPlacement(ports.decider());
    this.policies = ports.policies();
    this.requests = new PlacementRequests(ports.predictor(), ports.policies().get());
    this.eligibility = eligibility;
    this.term = term;
  }

  /**
   * Begins a cycle, or a call of a scheduler: from now on the work on latency objectives is bounded
   * in each.
   */
  public void beginCycle() {
    effort = QueueEffort.ofCycle();
  }

  /** Drops cached requests: predictions or policies have changed. */
  public void forgetRequests() {
    cache.clear();
    requests = new PlacementRequests(ports.predictor(), policies.get());
  }

  public Policy policy(Colocatable pod) {
    return policies.get().of(pod.pod().namespace());
  }

  public Subject subject(WatchedPod watched, Colocatable pod, Duration waited) {
    Policy policy = policy(pod);
    boolean over = waited.compareTo(policy.queue().maxWait()) >= 0;
    boolean tooLong = policy.queue().fallback() == Policy.Fallback.EXCLUSIVE && over;
    Demand demand = term.cluster().demand(watched);
    Needs needs =
        new Needs(
            watched.scheduling().requirements(),
            demand,
            term.avoided().of(watched, ports.clock().instant()));
    @Nullable String claim =
        policy.gpuAssignment() == Policy.GpuAssignment.DRA
            ? Claims.named(watched).map(name -> claim(name, policy)).orElse(null)
            : null;
    EquivalenceClass equivalence =
        new EquivalenceClass(
            new RequestClass(
                pod.pod().namespace(),
                policy.name(),
                policies.get().trustDomainName(pod.pod().namespace()),
                pod.gpu(),
                pod.workload()),
            needs,
            claim,
            tooLong,
            over ? Duration.ZERO : policy.measuring().alone());
    return new Subject(pod, equivalence, waited);
  }

  /**
   * What is predicted of a pod on products, with bounds of memory that hold at least this often and
   * that are at least what it declares.
   */
  Map<DeviceId, Prediction> bounded(Colocatable pod, Set<DeviceId> devices, Coverage least) {
    return PlacementRequests.raised(
        requests.bounded(pod, devices, least), pod, term.cluster().gpus());
  }

  private static String claim(String name, Policy policy) {
    return policy.claimSharing() instanceof ClaimSharing.Capacity ? Claims.ofCapacity(name) : name;
  }

  /**
   * The placement request of a pod, before any fallback; null where the effort of this round does
   * not suffice for its latency objective.
   */
  public @Nullable PlacementRequest request(Subject subject, ClusterSnapshot cluster) {
    RequestClass request = subject.equivalence().request();
    PlacementRequest known = cache.get(request);
    if (known == null) {
      known = requests.about(subject.pod(), cluster, effort).orElse(null);
      if (known == null) {
        return null;
      }
      cache.put(request, known);
    }
    String name = subject.pod().pod().toString();
    return switch (known) {
      case PlacementRequest.Share share ->
          new PlacementRequest.Share(
              name,
              share.predictions(),
              share.limits().withProfileTime(subject.equivalence().alone()),
              share.trust());
      case PlacementRequest.Whole whole ->
          new PlacementRequest.Whole(name, whole.gpus(), whole.because(), whole.predictions());
    };
  }

  /** Whether a pod may come in a trial, so that tenants elsewhere decide too. */
  boolean mayTry(Subject subject, ClusterSnapshot cluster) {
    return request(subject, cluster) instanceof PlacementRequest.Share share
        && share.limits().allowTrials();
  }

  /**
   * Decides.
   *
   * @param allowed GPUs that are not reserved for other pods; null for all
   */
  public Decision decide(
      ClusterSnapshot cluster, Subject subject, @Nullable Predicate<GpuSnapshot> allowed) {
    Policy policy = policy(subject.pod());
    PlacementRequest request = request(subject, cluster);
    if (request == null) {
      return new Decision.Held(List.of(new Reason.ObjectivePending()));
    }
    boolean share = request instanceof PlacementRequest.Share;
    StaleMetrics stale = policy.staleMetrics();
    boolean countsGrants =
        stale == StaleMetrics.ALLOW || (stale == StaleMetrics.EXCLUSIVE && !share);
    Decision first =
        decide(
            new Attempt(
                countsGrants ? usage.withGrantedUsage(cluster) : cluster,
                subject,
                request,
                allowed));
    if (first instanceof Decision.Admitted
        || !(request instanceof PlacementRequest.Share shareRequest)) {
      return first;
    }
    Decision decision = first;
    ClusterSnapshot view = stale == StaleMetrics.HOLD ? cluster : usage.withGrantedUsage(cluster);
    Predicate<GpuSnapshot> unshareable =
        eligibility.unshareable(GpuAssignment.of(policy.gpuAssignment()));
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
    } else if (stale == StaleMetrics.EXCLUSIVE && usage.isPartlyUnmeasured(cluster)) {
      Predicate<GpuSnapshot> unmeasured =
          gpu -> !GrantedUsage.isMeasured(cluster.find(gpu.uuid()).orElse(gpu));
      decision =
          orElse(
              decision,
              new Attempt(
                  usage.withGrantedUsage(cluster),
                  subject,
                  PodPlacement.whole(shareRequest, new ExclusiveCause.MetricsMissing()),
                  and(allowed, unmeasured)));
    }
    return decision;
  }

  /** Decides on one eligible GPU as it would be; without metrics its grants count as usage. */
  public Decision decideOn(GpuSnapshot gpu, Colocatable pod, PlacementRequest request) {
    GpuSnapshot usable = GrantedUsage.isMeasured(gpu) ? gpu : GrantedUsage.unused(gpu);
    ClusterSnapshot there = term.cluster().snapshot().hypotheticalPart(List.of(usable));
    return placement.decide(there, pod, request, null);
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
    GpuAssignment gpuAssignment = GpuAssignment.of(policy(subject.pod()).gpuAssignment());
    Excluded excluded = eligibility.excluded(subject.needs(), new Way(gpuAssignment, extent));
    Map<String, Reason> blocked =
        joined(
            starting.blocking(subject.pod()),
            extent == Extent.SHARE
                ? term.neighbourhoods().avoided(subject.pod())
                : Map.<String, Reason>of());
    @Nullable Predicate<GpuSnapshot> quiet =
        blocked.isEmpty() ? null : gpu -> !blocked.containsKey(gpu.uuid());
    @Nullable Predicate<GpuSnapshot> among =
        and(
            and(and(excluded.filter(), attempt.allowed()), quiet),
            term.ledger().claimable(subject.equivalence().claim()));
    Decision decision =
        placement.decide(attempt.cluster(), subject.pod(), attempt.request(), among);
    boolean isFinal =
        decision instanceof Decision.Admitted
            || (decision instanceof Decision.Denied && among == null);
    // The excluded GPUs can change, so a denial among the others is only a hold.
    return isFinal
        ? decision
        : new Decision.Held(
            withBlocked(withNodes(decision.reasons(), excluded), blocked, attempt.cluster()));
  }

  /** The reasons of the nodes, where no GPU is eligible. */
  private static List<Reason> withNodes(List<Reason> reasons, Excluded excluded) {
    if (excluded.isEmpty()) {
      return reasons;
    }
    return new DeferredReasons(() -> {
      List<Reason> nodes = excluded.reasons();
      return PodPlacement.isOfNoGpu(reasons) ? nodes : joined(reasons, nodes);
    });
  }

  /** Not copied where one is empty, as is the rule: there may be as many as GPUs. */
  private static Map<String, Reason> joined(
      Map<String, ? extends Reason> starting, Map<String, Reason> avoided) {
    if (starting.isEmpty()) {
      return avoided;
    }
    Map<String, Reason> all = new HashMap<>(starting);
    all.putAll(avoided);
    return all;
  }

  /** The reasons of GPUs where another server starts, or with anti-affinity, come first. */
  private static List<Reason> withBlocked(
      List<Reason> reasons, Map<String, Reason> blocked, ClusterSnapshot cluster) {
    return blocked.isEmpty()
        ? reasons
        : new DeferredReasons(() ->
            joined(
                cluster.gpus().stream()
                    .flatMap(gpu -> Optional.ofNullable(blocked.get(gpu.uuid())).stream())
                    .toList(),
                reasons));
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
}
