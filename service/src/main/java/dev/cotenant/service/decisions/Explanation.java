package dev.cotenant.service.decisions;

import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a pod is where it is.
 *
 * @param pod which
 * @param standing how things stand with it
 * @param since since when
 * @param policy of its namespace
 * @param subject what was asked and decided
 * @param cluster the GPUs with all grants, as of now
 * @param fits the largest batch that would be admitted now; null where it has capacity, or where
 *     none would
 */
public record Explanation(
    PodIdentity pod,
    Standing standing,
    Instant since,
    Policy policy,
    Subject subject,
    ClusterSnapshot cluster,
    @Nullable Fit fits) {

  /** How things stand with a pod. */
  public sealed interface Standing {
    /**
     * It is held.
     *
     * @param rank its place in the queue, from 1
     * @param patience how long until it waited too long; null where it waits without end
     */
    record Waiting(int rank, @Nullable Duration patience) implements Standing {}

    /**
     * It has capacity.
     *
     * @param state how far its grant has come
     */
    record Granted(GrantState state) implements Standing {}

    /** It was decided on and holds nothing: it was refused, or has ended, or nobody acted on it. */
    record Past() implements Standing {}
  }

  /**
   * What was asked and decided.
   *
   * @param asked what the pod asks for; null where that is not known any more
   * @param request what was asked of the cluster for it; null where nothing was yet
   * @param decision what was decided last; null where nothing was
   */
  public record Subject(
      @Nullable Colocatable asked,
      @Nullable PlacementRequest request,
      @Nullable Decision decision) {}
}
