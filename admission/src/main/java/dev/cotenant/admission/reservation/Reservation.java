package dev.cotenant.admission.reservation;

import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that was granted to a caller.
 *
 * @param id its admission id in the ledger; unguessable
 * @param key the caller's idempotency key
 * @param request the pod that the capacity is reserved for
 * @param capacity the grant
 * @param createdAt time of the grant
 * @param expiresAt the end of an unconfirmed reservation
 * @param version from 1, incremented by every change
 * @param boundTo the confirmed pod; null before
 */
public record Reservation(
    String id,
    RequestKey key,
    Colocatable request,
    Granted capacity,
    Instant createdAt,
    Instant expiresAt,
    int version,
    @Nullable BoundPod boundTo) {

  /**
   * An idempotency key.
   *
   * @param caller its owner; names of different callers are distinct
   * @param name the caller's name of the request
   * @param fingerprint of the request
   */
  public record RequestKey(String caller, String name, String fingerprint) {
    /** The unique part. */
    Named named() {
      return new Named(caller, name);
    }
  }

  /** A caller's name of a request. */
  record Named(String caller, String name) {}

  /**
   * The granted capacity.
   *
   * @param admitted the decision
   * @param extent a share or whole GPUs
   * @param slowdownLimit the limit of its slowdown
   * @param risk accepted risk of a slowdown beyond the limit
   */
  public record Granted(
      Decision.Admitted admitted, Extent extent, Slowdown slowdownLimit, RiskLimit risk) {
    static Granted of(Decision.Admitted admitted) {
      return new Granted(
          admitted,
          PodGrant.extent(admitted),
          PodGrant.slowdownLimit(admitted),
          PodGrant.risk(admitted));
    }
  }

  /** The pod of a confirmed reservation. */
  public record BoundPod(String namespace, String name, String uid) {}

  /** The decision of the grant. */
  public Decision.Admitted granted() {
    return capacity.admitted();
  }

  Reservation confirmedFor(BoundPod pod) {
    return new Reservation(id, key, request, capacity, createdAt, expiresAt, version + 1, pod);
  }

  /** The reservation before its confirmation. */
  Reservation unconfirmed() {
    return new Reservation(id, key, request, capacity, createdAt, expiresAt, version - 1, null);
  }

  boolean isExpired(Instant now) {
    return boundTo == null && !now.isBefore(expiresAt);
  }

  /** The grant in a ledger: its key is the pod's uid, else the reservation's id. */
  public PodGrant grant() {
    BoundPod pod = boundTo;
    return pod == null
        ? grant(id, request.pod(), new PodGrant.Allocated(expiresAt))
        : grant(
            pod.uid(), new PodIdentity(pod.namespace(), pod.name(), null), new PodGrant.Bound());
  }

  private PodGrant grant(String ledgerKey, PodIdentity pod, PodGrant.State state) {
    return new PodGrant(
        ledgerKey,
        pod,
        capacity.admitted(),
        capacity.extent(),
        capacity.slowdownLimit(),
        capacity.risk(),
        createdAt,
        state);
  }
}
