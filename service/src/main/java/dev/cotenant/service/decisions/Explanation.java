package dev.cotenant.service.decisions;

import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.service.cluster.GpuReview.GrantReview;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Explanation of a pod's state.
 *
 * @param pod which
 * @param standing how things stand with it
 * @param since since when
 * @param policy of its namespace
 * @param subject the request and its decision
 * @param cluster the GPUs with all grants, as of now
 * @param fits the largest batch that would be admitted now; null where it has a grant, or where
 *     none would
 * @param considered current decisions for the other GPUs of a granted pod; for other pods, the
 *     decision's reasons cover every GPU
 */
public record Explanation(
    PodIdentity pod,
    Standing standing,
    Instant since,
    Policy policy,
    Subject subject,
    ClusterSnapshot cluster,
    @Nullable Fit fits,
    List<Considered> considered) {
  public Explanation {
    considered = List.copyOf(considered);
  }

  /** Explanation of a pod without a grant. */
  Explanation(
      PodIdentity pod,
      Standing standing,
      Instant since,
      Policy policy,
      Subject subject,
      ClusterSnapshot cluster,
      @Nullable Fit fits) {
    this(pod, standing, since, policy, subject, cluster, fits, List.of());
  }

  /** The tenant in the snapshot; empty without a share. */
  public Optional<Tenant> tenant() {
    String name = pod.toString();
    return cluster.gpus().stream()
        .map(GpuSnapshot::tenancy)
        .flatMap(tenancy ->
            tenancy instanceof Tenancy.Shared(List<Tenant> tenants)
                ? tenants.stream()
                : Stream.of())
        .filter(tenant -> tenant.name().equals(name))
        .findFirst();
  }

  /** State of a pod. */
  public sealed interface Standing {
    /**
     * It is held.
     *
     * @param rank its place in the queue, from 1
     * @param patience how long until it waited too long; null where it waits without end
     */
    record Waiting(int rank, @Nullable Duration patience) implements Standing {}

    /**
     * It has a grant.
     *
     * @param state how far its grant has come
     * @param review the grant by the serving predictor; null where that predictor granted it
     */
    record Granted(GrantState state, @Nullable GrantReview review) implements Standing {}

    /** A decision without a grant: refused, ended, or a dry run. */
    record Past() implements Standing {}
  }

  /**
   * The request and its decision.
   *
   * @param requested the request of the pod; null where it is not known any more
   * @param request the placement request; null before the first decision
   * @param decision what was decided last; null where nothing was
   * @param decidedAt time at which the reasons were computed; null for grants and for reasons that
   *     concern no GPU
   */
  public record Subject(
      @Nullable Colocatable requested,
      @Nullable PlacementRequest request,
      @Nullable Decision decision,
      @Nullable Instant decidedAt) {
    /** What was granted. */
    static Subject granted(@Nullable Colocatable requested, Decision.Admitted decision) {
      return new Subject(requested, null, decision, null);
    }
  }
}
