package dev.cotenant.admission.capacity;

import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.ClusterSource;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.function.Function;

/** Capacity on the ledger of this process. */
public final class LocalCapacityLedger implements CapacityLedger {
  private final ClusterSource cluster;
  private final Ledger ledger;

  /** Capacity on this cluster, without the ledger's own pods as tenants. */
  public LocalCapacityLedger(ClusterSource cluster, Ledger ledger) {
    this.cluster = cluster;
    this.ledger = ledger;
  }

  @Override
  public long term() {
    return 0;
  }

  @Override
  public ClusterSnapshot withGrants() {
    return ledger.overlay(cluster.snapshot());
  }

  @Override
  public Allocation allocate(
      CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide) {
    ledger.release(capacityRequest.admissionId());
    Decision decision = ledger.decideAndAllocate(capacityRequest, cluster.snapshot(), decide);
    Instant until =
        ledger
            .find(capacityRequest.admissionId())
            .filter(entry -> entry.state() instanceof LedgerEntry.Allocated)
            .map(entry -> ((LedgerEntry.Allocated) entry.state()).until())
            .orElse(Instant.EPOCH);
    return new Allocation(decision, until);
  }

  @Override
  public GrantState state(String admissionId) {
    return ledger.find(admissionId).map(entry -> entry.state().name()).orElse(GrantState.RELEASED);
  }

  @Override
  public boolean confirm(String admissionId, PodIdentity pod, String uid) {
    return ledger.bindHolder(admissionId, pod, uid).isPresent();
  }

  @Override
  public boolean release(String admissionId) {
    return ledger.release(admissionId);
  }
}
