package dev.cotenant.admission.capacity;

import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Port: the one ledger of this cluster's grants: in this process in mode Immediate, else in the
 * leading gate controller.
 *
 * <p>Every method throws {@link NotLeadingException} where this process does not own the ledger,
 * since its state may be outdated. Safe for use by many threads.
 */
public interface CapacityLedger {
  /** The number of the term in which this process owns the ledger; 0 without terms. */
  long term();

  /** The cluster with all grants as tenants. */
  ClusterSnapshot withGrants();

  /**
   * Decides on what all grants leave and allocates the admitted capacity, under one lock. It
   * expires unless it is confirmed.
   *
   * @param capacityRequest the pod; an earlier grant of its admission id is released first
   * @param decide decides on the cluster with the grants of all other pods
   */
  Allocation allocate(CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide);

  /** The state of an admission id's grant; {@code RELEASED} without one. */
  GrantState state(String admissionId);

  /** The admission ids without a grant. */
  default Set<String> gone(Collection<String> ids) {
    return ids.stream()
        .filter(admissionId -> state(admissionId) == GrantState.RELEASED)
        .collect(Collectors.toSet());
  }

  /** Binds the grant of an admission id to a pod; whether the pod has it. Idempotent. */
  boolean confirm(String admissionId, PodIdentity pod, String uid);

  /** Releases the grant of an admission id; whether there was one. */
  boolean release(String admissionId);

  /**
   * A decision with the end of an unconfirmed grant.
   *
   * @param until no meaning unless admitted
   */
  record Allocation(Decision decision, Instant until) {}
}
