package dev.cotenant.admission.gate;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.function.Function;

/** Capacity on a controller, asked by the thread that drives it. */
final class DirectCapacityLedger implements CapacityLedger {
  private final GateController controller;

  DirectCapacityLedger(GateController controller) {
    this.controller = controller;
  }

  private static NotLeadingException notLeading() {
    return new NotLeadingException(null);
  }

  private void requireLeading() {
    if (controller.cluster().isEmpty()) {
      throw notLeading();
    }
  }

  @Override
  public long term() {
    return controller.term().orElseThrow(DirectCapacityLedger::notLeading);
  }

  @Override
  public ClusterSnapshot withGrants() {
    return controller.cluster().orElseThrow(DirectCapacityLedger::notLeading);
  }

  @Override
  public Allocation allocate(
      CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide) {
    Decision decision =
        controller.allocate(capacityRequest, decide).orElseThrow(DirectCapacityLedger::notLeading);
    Instant until =
        controller
            .find(capacityRequest.admissionId())
            .map(grant -> grant.state() instanceof PodGrant.Allocated(Instant end) ? end : null)
            .orElse(Instant.EPOCH);
    return new Allocation(decision, until);
  }

  @Override
  public GrantState state(String admissionId) {
    requireLeading();
    return controller
        .find(admissionId)
        .map(grant ->
            grant.state() instanceof PodGrant.Allocated ? GrantState.ALLOCATED : GrantState.BOUND)
        .orElse(GrantState.RELEASED);
  }

  @Override
  public boolean confirm(String admissionId, PodIdentity pod, String uid) {
    requireLeading();
    return controller.confirm(admissionId, pod, uid);
  }

  @Override
  public boolean release(String admissionId) {
    requireLeading();
    return controller.release(admissionId);
  }
}
