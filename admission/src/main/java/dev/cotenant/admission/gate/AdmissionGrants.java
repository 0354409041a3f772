package dev.cotenant.admission.gate;

import dev.cotenant.admission.gate.events.PodEvents;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.GrantLedger;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The grants under admission ids: reservations, which pods may take. */
final class AdmissionGrants {
  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final GrantLedger ledger;
  private final PodEvents podEvents;

  AdmissionGrants(GatePorts ports, GateSettings settings, Term term, PodEvents podEvents) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.ledger = term.ledger();
    this.podEvents = podEvents;
  }

  /** Decides anew on what all other grants leave, and allocates the admitted capacity. */
  Decision allocate(CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide) {
    release(capacityRequest.admissionId());
    Decision decision = decide.apply(term.cluster().snapshot());
    if (decision instanceof Decision.Admitted admitted) {
      Instant now = ports.clock().instant();
      ledger.allocate(
          PodGrant.of(capacityRequest.admissionId(), capacityRequest.pod(), admitted, now)
              .in(new PodGrant.Allocated(now.plus(settings.hold()))));
    }
    return decision;
  }

  /** The grant of an admission id, or of the pod that took it; empty without one. */
  Optional<PodGrant> find(String admissionId) {
    ledger.expire(ports.clock().instant());
    return ledger.find(admissionId).or(() -> ledger.holderOf(admissionId).flatMap(ledger::find));
  }

  /** Binds the grant of an admission id to a pod; whether the pod has it. Idempotent. */
  boolean confirm(String admissionId, PodIdentity pod, String uid) {
    PodGrant grant = find(admissionId).orElse(null);
    if (grant == null || term.pods().isGone(uid)) {
      return false;
    }
    if (!grant.key().equals(admissionId)) {
      return grant.key().equals(uid);
    }
    @Nullable TrackedPod known = term.pods().find(uid);
    if (known != null && known.isGated()) {
      term.preemptions().end(uid); // the reservation is its capacity
    }
    if (ledger.granted(uid) != null || (known != null && known.isElsewhereThan(grant))) {
      return false; // the pod has a grant already, or is on another node
    }
    ledger.take(admissionId, pod, uid);
    if (known != null) {
      podEvents.settle(known);
    }
    return true;
  }

  /**
   * Releases the grant of an admission id or of its pod; whether there was one. The grant of a pod
   * with an ungate in flight stays until the pod's state is known.
   */
  boolean release(String admissionId) {
    String key = ledger.holderOf(admissionId).orElse(admissionId);
    ledger.dropAdmissionId(key);
    @Nullable TrackedPod pod = term.pods().find(key);
    if (pod != null && pod.mayHaveUngateInFlight()) {
      return ledger.markUnconfirmed(key);
    }
    boolean released = ledger.release(key);
    if (released && pod != null) {
      podEvents.settle(pod); // it may run without a grant
    }
    return released;
  }

  /** The admission ids without a grant. */
  Set<String> gone(Collection<String> ids) {
    ledger.expire(ports.clock().instant());
    Set<String> gone = new HashSet<>(ids);
    for (PodGrant grant : ledger.all()) {
      gone.remove(grant.key());
      gone.remove(ledger.admissionId(grant));
    }
    return gone;
  }
}
