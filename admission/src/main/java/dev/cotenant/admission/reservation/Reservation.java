package dev.cotenant.admission.reservation;

import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that was granted to a caller.
 *
 * @param id names it, and is its token in the ledger; unguessable
 * @param key by which the caller repeats the request
 * @param asked what it is for
 * @param capacity what was granted
 * @param createdAt when it was granted
 * @param expiresAt when it lapses unless it is confirmed
 * @param version grows by one with every change, from 1
 * @param boundTo the pod that it was confirmed for; null while it was not
 */
public record Reservation(
    String id,
    RequestKey key,
    Colocatable asked,
    Granted capacity,
    Instant createdAt,
    Instant expiresAt,
    int version,
    @Nullable BoundPod boundTo) {

  /**
   * The name of a request.
   *
   * @param caller whose it is; two callers' names do not meet
   * @param name the caller's own, for this request
   * @param fingerprint of what was asked
   */
  public record RequestKey(String caller, String name, String fingerprint) {
    /** What is unique: the caller and its name for the request. */
    Named named() {
      return new Named(caller, name);
    }
  }

  /** A caller's name for a request. */
  record Named(String caller, String name) {}

  /**
   * What was granted.
   *
   * @param admitted where, and on which numbers
   * @param extent whether it shares
   * @param promised the most that it is to be slowed down
   */
  public record Granted(Decision.Admitted admitted, Extent extent, Slowdown promised) {
    /** As it was decided just now. */
    static Granted of(Decision.Admitted admitted) {
      return new Granted(admitted, PodGrant.extent(admitted), PodGrant.promised(admitted));
    }
  }

  /** The pod that took a reservation. */
  public record BoundPod(String namespace, String name, String uid) {}

  /** Where, and on which numbers. */
  public Decision.Admitted granted() {
    return capacity.admitted();
  }

  Reservation confirmedFor(BoundPod pod) {
    return new Reservation(id, key, asked, capacity, createdAt, expiresAt, version + 1, pod);
  }

  boolean isExpired(Instant now) {
    return boundTo == null && !now.isBefore(expiresAt);
  }

  /** As it counts on a ledger: a pod's by its uid, else by its id. */
  public PodGrant grant() {
    BoundPod pod = boundTo;
    return pod == null
        ? grant(id, asked.pod(), new PodGrant.Held(expiresAt))
        : grant(
            pod.uid(), new PodIdentity(pod.namespace(), pod.name(), null), new PodGrant.Bound());
  }

  private PodGrant grant(String ledgerKey, PodIdentity pod, PodGrant.State state) {
    return new PodGrant(
        ledgerKey,
        pod,
        capacity.admitted(),
        capacity.extent(),
        capacity.promised(),
        createdAt,
        state);
  }
}
