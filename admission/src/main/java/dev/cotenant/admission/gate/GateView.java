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
 * What the controller knows, as of its last pass; immutable, for whoever explains it.
 *
 * @param term number of the leader's term; 0 where this process does not lead, and then nothing
 *     else is known
 * @param at when it was like that
 * @param queue held pods in the order in which they are decided on
 * @param granted pods that hold capacity, by name; not changed any more
 * @param cluster all GPUs with whoever holds them: our grants, reservations and foreign pods
 * @param health what somebody should look at
 */
public record GateView(
    long term,
    Instant at,
    List<Waiting> queue,
    Map<PodIdentity, Holding> granted,
    ClusterSnapshot cluster,
    Health health) {
  /** Does not lead. */
  public static final GateView NOT_LEADING = new GateView(0, Instant.EPOCH, List.of(), Map.of());

  /** Of a cluster without GPUs, in which all is well. */
  public GateView(long term, Instant at, List<Waiting> queue, Map<PodIdentity, Holding> granted) {
    this(term, at, queue, granted, new ClusterSnapshot(at, List.of()), Health.GOOD);
  }

  public GateView {
    queue = List.copyOf(queue);
    granted = Collections.unmodifiableMap(granted);
  }

  /** Whether the ledger of the current term is complete, so that decisions can be made. */
  public boolean isReady() {
    return term > 0 && health.unverified() == 0;
  }

  /**
   * What somebody should look at.
   *
   * @param unverified held pods of an earlier term of which it is not sure yet that nobody grants
   *     them capacity any more; nothing is granted while there are any
   * @param unmanaged live pods in namespaces that opted in that use GPUs without our token and
   *     without a grant: they were not seen by the webhook
   * @param leaked granted pods that are on no node for long
   * @param overcommitted GPUs of which grants claim more than the limits allow, as somebody else
   *     than we wrote
   * @param unrepresented GPUs of nodes whose product is not known, so that nothing is granted there
   */
  public record Health(
      int unverified, int unmanaged, int leaked, int overcommitted, int unrepresented) {
    /** Nothing to look at. */
    public static final Health GOOD = new Health(0, 0, 0, 0, 0);
  }

  /** The held pod of this name. */
  public Optional<Waiting> waiting(PodIdentity pod) {
    return queue.stream().filter(waiting -> waiting.pod().pod().isNamed(pod)).findFirst();
  }

  /**
   * A held pod.
   *
   * @param pod the pod
   * @param rank its place in the queue, from 1
   * @param since when it was created
   * @param patience how long until it waited too long; null where it waits without end
   * @param request what is asked of the cluster for it; null where other gates hold it as well and
   *     nothing was decided yet
   * @param decision what was decided last; null where nothing was
   */
  public record Waiting(
      WatchedPod pod,
      int rank,
      Instant since,
      @Nullable Duration patience,
      @Nullable PlacementRequest request,
      @Nullable Decision decision) {}

  /**
   * A pod that holds capacity.
   *
   * @param pod the pod
   * @param state how far its grant has come
   * @param decision what it was granted
   */
  public record Holding(WatchedPod pod, GrantState state, Decision.Admitted decision) {}
}
