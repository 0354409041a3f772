package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An immutable view of the controller's state after a scheduling cycle.
 *
 * @param term number of the term; 0 where this process does not lead and knows nothing else
 * @param at time of the cycle
 * @param queue gated pods in queue order
 * @param granted pods with a grant, by name; unmodified from now on
 * @param cluster all GPUs with their tenants: our grants, reservations and foreign pods
 * @param health what needs attention
 * @param completed the last pods with a grant that completed in this term, the newest last
 * @param unschedulableNodes nodes that take no pods, and why
 */
public record GateView(
    long term,
    Instant at,
    List<Waiting> queue,
    Map<PodIdentity, Holding> granted,
    ClusterSnapshot cluster,
    Health health,
    List<WatchedPod> completed,
    Map<String, String> unschedulableNodes) {
  /** Of a process that does not lead. */
  public static final GateView NOT_LEADING = new GateView(0, Instant.EPOCH, List.of(), Map.of());

  /** Of a healthy cluster without GPUs. */
  public GateView(long term, Instant at, List<Waiting> queue, Map<PodIdentity, Holding> granted) {
    this(term, at, queue, granted, new ClusterSnapshot(at, List.of()), Health.GOOD);
  }

  /** In which no pod has completed, and every node takes pods. */
  public GateView(
      long term,
      Instant at,
      List<Waiting> queue,
      Map<PodIdentity, Holding> granted,
      ClusterSnapshot cluster,
      Health health) {
    this(term, at, queue, granted, cluster, health, List.of(), Map.of());
  }

  public GateView {
    queue = List.copyOf(queue);
    completed = List.copyOf(completed);
    unschedulableNodes = Map.copyOf(unschedulableNodes);
    granted = Collections.unmodifiableMap(granted);
  }

  /** Whether the ledger of the current term is complete, so that decisions can be made. */
  public boolean isReady() {
    return term > 0 && health.unverified() == 0;
  }

  /**
   * What needs attention.
   *
   * @param unverified gated pods that a write of an earlier term may still change; any of them
   *     suspends grants
   * @param unmanaged live pods of opted-in namespaces that use GPUs without an admission id or
   *     grant: the webhook did not see them
   * @param leaked granted pods without a node for a long time
   * @param overcommitted GPUs whose grants exceed the limits
   * @param unrepresented GPUs of nodes with an unknown product, where nothing is granted
   */
  public record Health(
      int unverified, int unmanaged, int leaked, int overcommitted, int unrepresented) {
    public static final Health GOOD = new Health(0, 0, 0, 0, 0);
  }

  /** The gated pod of this name. */
  public Optional<Waiting> waiting(PodIdentity pod) {
    return queue.stream().filter(waiting -> waiting.pod().pod().isNamed(pod)).findFirst();
  }

  /**
   * A gated pod.
   *
   * @param pod the pod
   * @param rank its queue position, from 1
   * @param since its creation
   * @param patience time until the end of its maximum wait; null without one
   * @param request its placement request; null while other gates are present and nothing was
   *     decided
   * @param decision the last decision; null without one
   * @param decidedAt when the cluster was as its reasons say; null where they say nothing of it
   */
  public record Waiting(
      WatchedPod pod,
      int rank,
      Instant since,
      @Nullable Duration patience,
      @Nullable PlacementRequest request,
      @Nullable Decision decision,
      @Nullable Instant decidedAt) {}

  /**
   * A pod with a grant.
   *
   * @param pod the pod
   * @param state the state of the grant
   * @param decision the decision of the grant
   * @param aloneUntil until when its GPU was, or is to be, closed to others; null where it is not
   *     measured
   */
  public record Holding(
      WatchedPod pod, GrantState state, Decision.Admitted decision, @Nullable Instant aloneUntil) {}
}
