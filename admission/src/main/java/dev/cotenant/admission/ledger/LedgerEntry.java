package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Capacity that a pod holds.
 *
 * @param claim who
 * @param admitted what, and why
 * @param since when it was granted
 * @param state how sure it is that the pod exists
 */
public record LedgerEntry(Claim claim, Decision.Admitted admitted, Instant since, State state) {

  /** How sure it is that the pod exists. */
  public sealed interface State {
    /** The state without its details. */
    default GrantState name() {
      return this instanceof Held ? GrantState.HELD : GrantState.BOUND;
    }
  }

  /** Granted, the pod not seen yet; lapses at {@code until}. */
  public record Held(Instant until) implements State {}

  /** The pod was created under this uid; it was seen {@code at} this instant. */
  public record Bound(String uid, Instant at) implements State {}

  /** In what a pod asks for something else than what this capacity was granted for. */
  public List<Difference> differencesOf(Colocatable found) {
    return found.differencesFrom(claim.asked().onNode(node()));
  }

  /**
   * The pod as it asks itself: where it selects the granted node, that is what our patch wrote, so
   * that only what it had selected before binds it.
   */
  public Colocatable asItAsks(Colocatable found) {
    return node().equals(found.nodes().node()) ? found.onNode(claim.asked().nodes().node()) : found;
  }

  /** All GPUs of one grant are on one node. */
  private String node() {
    return admitted.grants().getFirst().node();
  }

  boolean isExpired(Instant now) {
    return state instanceof Held(Instant until) && !now.isBefore(until);
  }

  LedgerEntry boundTo(PodIdentity pod, Bound state) {
    Claim named = new Claim(claim.token(), claim.asked().named(pod));
    return new LedgerEntry(named, admitted, since, state);
  }

  boolean isBoundTo(String uid) {
    return state instanceof Bound(String bound, Instant _) && bound.equals(uid);
  }

  boolean wasBoundBefore(Instant earliest) {
    return state instanceof Bound(String _, Instant at) && at.isBefore(earliest);
  }

  /** The capacity as it counts in snapshots. */
  Occupant occupant() {
    List<String> gpus = admitted.grants().stream().map(Grant::gpuUuid).toList();
    String holder = claim.pod().toString();
    return switch (admitted.evidence()) {
      case Evidence.FreeGpus _, Evidence.Recorded _ ->
          new Occupant(claim.token(), gpus, new Occupant.Alone(holder));
      case Evidence.WithinLimits within ->
          new Occupant(
              claim.token(),
              gpus,
              new Occupant.Sharing(
                  tenant(holder, admitted.grants().getFirst(), within.limits().slowdown(), since)));
    };
  }

  /**
   * The tenant that a share's grant makes.
   *
   * @param since from when on it is in the measurements
   */
  static Tenant tenant(String holder, Grant grant, Slowdown promised, Instant since) {
    Prediction prediction =
        Objects.requireNonNull(grant.prediction(), "a share is granted on a prediction");
    return new Tenant(
        holder,
        prediction.utilization(),
        prediction.peakMemory(),
        promised,
        since,
        prediction.run().orElse(null));
  }
}
