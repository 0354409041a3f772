package dev.cotenant.admission.capacity;

import dev.cotenant.admission.gate.GateController;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;

/** Capacity on the ledger of the gate controller, accessed between two scheduling cycles. */
public final class GateCapacityLedger implements CapacityLedger {
  private final GateCalls gate;

  public GateCapacityLedger(GateCalls gate) {
    this.gate = gate;
  }

  @Override
  public long term() {
    return gate.query(GateController::term);
  }

  @Override
  public ClusterSnapshot withGrants() {
    return gate.query(GateController::cluster);
  }

  @Override
  public Allocation allocate(
      CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide) {
    return gate.call(controller ->
        controller
            .allocate(capacityRequest, decide)
            .map(decision ->
                new Allocation(decision, until(controller, capacityRequest.admissionId()))));
  }

  private static Instant until(GateController gate, String admissionId) {
    return gate.find(admissionId)
        .map(grant -> grant.state() instanceof PodGrant.Allocated(Instant until) ? until : null)
        .orElse(Instant.EPOCH);
  }

  @Override
  public GrantState state(String admissionId) {
    return callLeading(controller ->
        controller
            .find(admissionId)
            .map(grant ->
                grant.state() instanceof PodGrant.Allocated
                    ? GrantState.ALLOCATED
                    : GrantState.BOUND)
            .orElse(GrantState.RELEASED));
  }

  @Override
  public Set<String> gone(Collection<String> ids) {
    return gate.call(controller -> controller.gone(ids));
  }

  @Override
  public boolean confirm(String admissionId, PodIdentity pod, String uid) {
    return callLeading(controller -> controller.confirm(admissionId, pod, uid));
  }

  @Override
  public boolean release(String admissionId) {
    return callLeading(controller -> controller.release(admissionId));
  }

  private <T> T callLeading(Function<GateController, T> task) {
    return gate.call(controller -> controller.cluster().map(_ -> task.apply(controller)));
  }
}
