package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PlacementRequests;
import dev.cotenant.admission.decision.PodPlacement;
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
 * Decides about held pods by their policies: what is asked for in turn, and on which view of the
 * cluster.
 *
 * <ol>
 *   <li>The request of the pod: a share where its model is known, else whole GPUs.
 *   <li>A whole GPU among those that pods cannot share by the policy's targeting.
 *   <li>A whole GPU, where it waited too long and the policy falls back to that.
 *   <li>A whole GPU among those without measurements, where the policy grants them so.
 * </ol>
 *
 * On GPUs without measurements the policies {@code ALLOW} and {@code EXCLUSIVE} take what was
 * granted for all that is in use; the former for shares as well.
 */
final class Deciding {
  private static final String NO_CHOICE = "targeting node-only cannot select one of a node's GPUs";

  private final PodPlacement placement;
  private final Supplier<Policies> policies;
  private final GatePorts ports;
  private PlacementRequests questions;
  private final Eligibility eligibility;
  private final Claims claims;
  private final Map<EquivalenceClass, PlacementRequest> asked = new HashMap<>();
  private @Nullable ClusterSnapshot plain;
  private @Nullable ClusterSnapshot withGrantedUsage;

  Deciding(GatePorts ports, Eligibility eligibility, Claims claims) {
    this.ports = ports;
    this.placement = new PodPlacement(ports.decider());
    this.policies = ports.policies();
    this.questions = new PlacementRequests(ports.predictor(), ports.policies().get());
    this.eligibility = eligibility;
    this.claims = claims;
  }

  /** What was predicted, or the policies, may be different by now. */
  void forgetRequests() {
    asked.clear();
    questions = new PlacementRequests(ports.predictor(), policies.get());
  }

  /**
   * What is decided on.
   *
   * @param pod which pod
   * @param question the same for pods that are treated alike
   * @param waited how long it has waited
   */
  record Subject(
      Colocatable pod, NodeRequirements nodes, EquivalenceClass question, Duration waited) {}

  Policy policy(Colocatable pod) {
    return policies.get().of(pod.pod().namespace());
  }

  Subject subject(WatchedPod watched, Colocatable pod, Duration waited) {
    Policy policy = policy(pod);
    boolean tooLong =
        policy.queue().fallback() == Policy.Fallback.EXCLUSIVE
            && waited.compareTo(policy.queue().maxWait()) >= 0;
    NodeRequirements nodes = watched.scheduling().requirements();
    @Nullable String claim =
        policy.targeting() == Policy.Targeting.DRA ? Claims.named(watched).orElse(null) : null;
    EquivalenceClass question =
        new EquivalenceClass(policy.name(), pod.gpu(), pod.workload(), nodes, claim, tooLong);
    return new Subject(pod, nodes, question, waited);
  }

  /** What is asked of the cluster for a pod, before anything else is. */
  PlacementRequest request(Subject subject, ClusterSnapshot cluster) {
    PlacementRequest known =
        asked.computeIfAbsent(subject.question(), _ -> questions.about(subject.pod(), cluster));
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
   * @param kept GPUs that are not kept for others; null where none are
   */
  Decision decide(ClusterSnapshot cluster, Subject subject, @Nullable Predicate<GpuSnapshot> kept) {
    Policy policy = policy(subject.pod());
    PlacementRequest request = request(subject, cluster);
    boolean share = request instanceof PlacementRequest.Share;
    StaleMetrics stale = policy.staleMetrics();
    boolean countsGrants =
        stale == StaleMetrics.ALLOW || (stale == StaleMetrics.EXCLUSIVE && !share);
    Decision first =
        decide(
            new Asked(countsGrants ? withGrantedUsage(cluster) : cluster, subject, request, kept));
    if (first instanceof Decision.Admitted || !(request instanceof PlacementRequest.Share asks)) {
      return first;
    }
    Decision decision = first;
    ClusterSnapshot view = stale == StaleMetrics.HOLD ? cluster : withGrantedUsage(cluster);
    Predicate<GpuSnapshot> unshareable = eligibility.unshareable(Targeting.of(policy.targeting()));
    if (unshareable != null) {
      PlacementRequest whole = PodPlacement.whole(asks, new ExclusiveCause.NotShareable(NO_CHOICE));
      decision = orElse(decision, new Asked(view, subject, whole, and(kept, unshareable)));
    }
    if (decision instanceof Decision.Admitted) {
      return decision;
    }
    if (subject.question().waitedTooLong()) {
      var because = new ExclusiveCause.WaitTimeout(subject.waited(), policy.queue().maxWait());
      PlacementRequest whole = PodPlacement.whole(asks, because);
      decision = orElse(decision, new Asked(view, subject, whole, kept));
    } else if (stale == StaleMetrics.EXCLUSIVE && isPartlyUnmeasured(cluster)) {
      Predicate<GpuSnapshot> unmeasured = gpu -> !isMeasured(cluster.find(gpu.uuid()).orElse(gpu));
      decision =
          orElse(
              decision,
              new Asked(
                  withGrantedUsage(cluster),
                  subject,
                  PodPlacement.whole(asks, new ExclusiveCause.MetricsMissing()),
                  and(kept, unmeasured)));
    }
    return decision;
  }

  /**
   * Decides on one GPU alone, where it is settled already that the pod may go there. Where it is
   * not measured, what was granted counts for what is in use.
   */
  Decision decideOn(GpuSnapshot gpu, Instant takenAt, Colocatable pod, PlacementRequest request) {
    GpuSnapshot looked = isMeasured(gpu) ? gpu : unused(gpu);
    return placement.decide(new ClusterSnapshot(takenAt, List.of(looked)), pod, request, null);
  }

  private record Asked(
      ClusterSnapshot cluster,
      Subject subject,
      PlacementRequest request,
      @Nullable Predicate<GpuSnapshot> kept) {}

  private Decision orElse(Decision refused, Asked next) {
    return PodPlacement.orElse(refused, decide(next));
  }

  private Decision decide(Asked asked) {
    Subject subject = asked.subject();
    Extent extent = asked.request() instanceof PlacementRequest.Share ? Extent.SHARE : Extent.WHOLE;
    Targeting targeting = Targeting.of(policy(subject.pod()).targeting());
    Excluded excluded = eligibility.excluded(subject.nodes(), new Way(targeting, extent));
    @Nullable Predicate<GpuSnapshot> among =
        and(and(excluded.filter(), asked.kept()), claims.filter(subject.question().claim()));
    Decision decision = placement.decide(asked.cluster(), subject.pod(), asked.request(), among);
    boolean isFinal =
        decision instanceof Decision.Admitted
            || (decision instanceof Decision.Denied && among == null);
    // What excludes GPUs can change, so a denial among some of them is no denial.
    return isFinal ? decision : new Decision.Held(withNodes(decision.reasons(), excluded));
  }

  /** Where no GPU is eligible, the reasons of the nodes state why. */
  private static List<Reason> withNodes(List<Reason> reasons, Excluded excluded) {
    if (excluded.byRequirements().isEmpty() && excluded.byWay().isEmpty()) {
      return reasons;
    }
    return new DeferredReasons(() -> {
      List<Reason> nodes = excluded.reasons();
      boolean nodesSayIt =
          reasons.getFirst() instanceof Reason.NoCandidateGpu none && none.gpusInCluster() == 0;
      return nodesSayIt ? nodes : joined(reasons, nodes);
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

  @SuppressWarnings("ReferenceEquality") // the same object is the same cluster, another is another
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

  @SuppressWarnings("ReferenceEquality") // nothing to change gives the same object
  private boolean isPartlyUnmeasured(ClusterSnapshot cluster) {
    return withGrantedUsage(cluster) != cluster;
  }

  /** When a pod's patience ends; null where it has none to lose or has lost it. */
  static @Nullable Instant patienceEnds(Policy policy, TrackedPod pod, Instant now) {
    Instant end = pod.waitingSince().plus(policy.queue().maxWait());
    return policy.queue().fallback() == Policy.Fallback.HOLD || !end.isAfter(now) ? null : end;
  }
}
