package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PlacementRequests;
import dev.cotenant.admission.decision.PodPlacement;
import dev.cotenant.admission.fit.Demand;
import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.gate.cycle.DecisionConditions.Access;
import dev.cotenant.admission.gate.cycle.EquivalenceClass.RequestClass;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.inventory.Eligibility.Way;
import dev.cotenant.admission.inventory.GrantedUsage;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.placement.serving.QueueEffort;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides about gated pods by their policies, on the thread of the gate. */
public final class Deciding {
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
   * Predictions by product, with memory bounds at least at this level and at least the declared
   * memory.
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
    return conditions(cluster, subject, extent -> access(subject, extent)).decide(cluster, allowed);
  }

  /** What a decision on a cluster rests on now, for any thread and for parts of the cluster too. */
  DecisionConditions conditions(ClusterSnapshot cluster, Subject subject) {
    Map<Extent, Access> access = new EnumMap<>(Extent.class);
    for (Extent extent : Extent.values()) {
      access.put(extent, access(subject, extent));
    }
    return conditions(cluster, subject, access::get);
  }

  private DecisionConditions conditions(
      ClusterSnapshot cluster, Subject subject, Function<Extent, Access> access) {
    Policy policy = policy(subject.pod());
    return new DecisionConditions(
        placement,
        usage,
        new DecisionConditions.Request(subject, policy, request(subject, cluster)),
        eligibility.unshareable(GpuAssignment.of(policy.gpuAssignment())),
        access);
  }

  private Access access(Subject subject, Extent extent) {
    GpuAssignment gpuAssignment = GpuAssignment.of(policy(subject.pod()).gpuAssignment());
    Map<String, Reason> avoided =
        extent == Extent.SHARE
            ? term.neighbourhoods().avoided(subject.pod())
            : Map.<String, Reason>of();
    return new Access(
        eligibility.excluded(subject.needs(), new Way(gpuAssignment, extent)),
        joined(starting.blocking(subject.pod()), avoided),
        term.ledger().claimable(subject.equivalence().claim()));
  }

  /** Copies only if both maps have entries, since either may have one per GPU. */
  private static Map<String, Reason> joined(
      Map<String, ? extends Reason> starting, Map<String, Reason> avoided) {
    if (starting.isEmpty()) {
      return avoided;
    }
    Map<String, Reason> all = new HashMap<>(starting);
    all.putAll(avoided);
    return all;
  }

  /**
   * Decides on one eligible GPU in a hypothetical state; without metrics, its grants count as
   * usage.
   */
  public Decision decideOn(GpuSnapshot gpu, Colocatable pod, PlacementRequest request) {
    GpuSnapshot usable = GrantedUsage.isMeasured(gpu) ? gpu : GrantedUsage.unused(gpu);
    ClusterSnapshot there = term.cluster().snapshot().hypotheticalPart(List.of(usable));
    return placement.decide(there, pod, request, null);
  }
}
