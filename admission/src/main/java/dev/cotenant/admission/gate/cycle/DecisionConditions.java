package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.decision.PodPlacement;
import dev.cotenant.admission.inventory.Eligibility.Excluded;
import dev.cotenant.admission.inventory.GrantedUsage;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.StaleMetrics;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a decision about a gated pod at one moment. Tries in turn:
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
final class DecisionConditions {
  private static final String NO_CHOICE =
      "GPU assignment node-only cannot select one of a node's GPUs";

  private final PodPlacement placement;
  private final GrantedUsage usage;
  private final Request about;
  private final @Nullable Predicate<GpuSnapshot> unshareable;
  private final Function<Extent, Access> access;

  /**
   * The pod.
   *
   * @param request null where the effort of this round does not suffice for its latency objective
   */
  record Request(Subject subject, Policy policy, @Nullable PlacementRequest request) {}

  /**
   * The GPUs that are eligible.
   *
   * @param excluded nodes
   * @param blocked GPUs by uuid
   * @param claimable by the pod's ResourceClaim; null where all are
   */
  record Access(
      Excluded excluded, Map<String, Reason> blocked, @Nullable Predicate<GpuSnapshot> claimable) {}

  /**
   * @param unshareable GPUs that pods cannot share by the policy's GPU assignment; null where they
   *     can share all
   */
  DecisionConditions(
      PodPlacement placement,
      GrantedUsage usage,
      Request about,
      @Nullable Predicate<GpuSnapshot> unshareable,
      Function<Extent, Access> access) {
    this.placement = placement;
    this.usage = usage;
    this.about = about;
    this.unshareable = unshareable;
    this.access = access;
  }

  /**
   * Decides.
   *
   * @param allowed GPUs that are not reserved for other pods; null for all
   */
  Decision decide(ClusterSnapshot cluster, @Nullable Predicate<GpuSnapshot> allowed) {
    PlacementRequest request = about.request();
    if (request == null) {
      return new Decision.Held(List.of(new Reason.ObjectivePending()));
    }
    boolean share = request instanceof PlacementRequest.Share;
    StaleMetrics stale = about.policy().staleMetrics();
    boolean countsGrants =
        stale == StaleMetrics.ALLOW || (stale == StaleMetrics.EXCLUSIVE && !share);
    Decision first =
        decide(
            new Attempt(
                countsGrants ? usage.withGrantedUsage(cluster) : cluster, request, allowed));
    return first instanceof Decision.Admitted
            || !(request instanceof PlacementRequest.Share shareRequest)
        ? first
        : orWhole(first, cluster, shareRequest, allowed);
  }

  private Decision orWhole(
      Decision refused,
      ClusterSnapshot cluster,
      PlacementRequest.Share share,
      @Nullable Predicate<GpuSnapshot> allowed) {
    Subject subject = about.subject();
    StaleMetrics stale = about.policy().staleMetrics();
    ClusterSnapshot view = stale == StaleMetrics.HOLD ? cluster : usage.withGrantedUsage(cluster);
    Decision decision = refused;
    if (unshareable != null) {
      PlacementRequest whole =
          PodPlacement.whole(share, new ExclusiveCause.NotShareable(NO_CHOICE));
      decision = orElse(decision, new Attempt(view, whole, and(allowed, unshareable)));
    }
    if (decision instanceof Decision.Admitted) {
      return decision;
    }
    if (subject.equivalence().waitedTooLong()) {
      var because =
          new ExclusiveCause.WaitTimeout(subject.waited(), about.policy().queue().maxWait());
      decision = orElse(decision, new Attempt(view, PodPlacement.whole(share, because), allowed));
    } else if (stale == StaleMetrics.EXCLUSIVE && usage.isPartlyUnmeasured(cluster)) {
      Predicate<GpuSnapshot> unmeasured =
          gpu -> !GrantedUsage.isMeasured(cluster.find(gpu.uuid()).orElse(gpu));
      decision =
          orElse(
              decision,
              new Attempt(
                  usage.withGrantedUsage(cluster),
                  PodPlacement.whole(share, new ExclusiveCause.MetricsMissing()),
                  and(allowed, unmeasured)));
    }
    return decision;
  }

  private record Attempt(
      ClusterSnapshot cluster,
      PlacementRequest request,
      @Nullable Predicate<GpuSnapshot> allowed) {}

  private Decision orElse(Decision refused, Attempt next) {
    return PodPlacement.orElse(refused, decide(next));
  }

  private Decision decide(Attempt attempt) {
    Access to =
        access.apply(
            attempt.request() instanceof PlacementRequest.Share ? Extent.SHARE : Extent.WHOLE);
    Map<String, Reason> blocked = to.blocked();
    @Nullable Predicate<GpuSnapshot> quiet =
        blocked.isEmpty() ? null : gpu -> !blocked.containsKey(gpu.uuid());
    @Nullable Predicate<GpuSnapshot> among =
        and(and(and(to.excluded().filter(), attempt.allowed()), quiet), to.claimable());
    Decision decision =
        placement.decide(attempt.cluster(), about.subject().pod(), attempt.request(), among);
    boolean isFinal =
        decision instanceof Decision.Admitted
            || (decision instanceof Decision.Denied && among == null);
    // The excluded GPUs can change, so a denial among the others is only a hold.
    return isFinal
        ? decision
        : new Decision.Held(
            withBlocked(withNodes(decision.reasons(), to.excluded()), blocked, attempt.cluster()));
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
