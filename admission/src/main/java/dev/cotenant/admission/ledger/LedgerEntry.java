package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The grant of a pod.
 *
 * @param capacityRequest the pod and its request
 * @param admitted the decision
 * @param since time of the grant
 * @param state its state
 */
public record LedgerEntry(
    CapacityRequest capacityRequest, Decision.Admitted admitted, Instant since, State state) {

  /** The state of a grant. */
  public sealed interface State {
    default GrantState name() {
      return this instanceof Allocated ? GrantState.ALLOCATED : GrantState.BOUND;
    }
  }

  /** Granted; the pod is not seen yet. Expires at {@code until}. */
  public record Allocated(Instant until) implements State {}

  /** The pod was created with this uid and seen {@code at} this time. */
  public record Bound(String uid, Instant at) implements State {}

  /** Differences between a pod's request and the granted one. */
  public List<Difference> differencesOf(Colocatable found) {
    return found.differencesFrom(capacityRequest.request().onNode(node()));
  }

  /** The pod's own request: a selector of the granted node is ours, so the original one counts. */
  public Colocatable ownRequest(Colocatable found) {
    return node().equals(found.nodes().node())
        ? found.onNode(capacityRequest.request().nodes().node())
        : found;
  }

  /** Node of the grant's GPUs. */
  private String node() {
    return admitted.grants().getFirst().node();
  }

  boolean isExpired(Instant now) {
    return state instanceof Allocated(Instant until) && !now.isBefore(until);
  }

  LedgerEntry boundTo(PodIdentity pod, Bound state) {
    CapacityRequest named =
        new CapacityRequest(capacityRequest.admissionId(), capacityRequest.request().named(pod));
    return new LedgerEntry(named, admitted, since, state);
  }

  boolean isBoundTo(String uid) {
    return state instanceof Bound(String bound, Instant _) && bound.equals(uid);
  }

  boolean wasBoundBefore(Instant earliest) {
    return state instanceof Bound(String _, Instant at) && at.isBefore(earliest);
  }

  /** The occupant of the grant in snapshots. */
  Occupant occupant() {
    List<String> gpus = admitted.grants().stream().map(Grant::gpuUuid).toList();
    String holder = capacityRequest.pod().toString();
    return switch (admitted.evidence()) {
      case Evidence.FreeGpus _, Evidence.Recorded _ ->
          new Occupant(capacityRequest.admissionId(), gpus, new Occupant.Alone(holder));
      case Evidence.WithinLimits within ->
          new Occupant(
              capacityRequest.admissionId(),
              gpus,
              new Occupant.Sharing(
                  tenant(
                      holder,
                      admitted.grants().getFirst(),
                      within.limits().slowdown(),
                      within.limits().risk(),
                      since)));
    };
  }

  /**
   * The tenant of a share.
   *
   * @param since start of its usage in the metrics
   */
  static Tenant tenant(
      String holder, Grant grant, Slowdown slowdownLimit, RiskLimit risk, Instant since) {
    Prediction prediction =
        Objects.requireNonNull(grant.prediction(), "a share is granted on a prediction");
    return new Tenant(
            holder,
            prediction.utilization(),
            prediction.peakMemory(),
            slowdownLimit,
            risk,
            since,
            prediction.run().orElse(null))
        .stayingFor(prediction.stay())
        .inPartition(prediction.partition());
  }
}
