package dev.cotenant.admission.reservation;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Room that was granted to a caller.
 *
 * @param id names it, and is its token in the ledger; unguessable
 * @param key the caller's own name for the request
 * @param fingerprint of what was asked under that key
 * @param asked what it is for
 * @param granted where, and on which numbers
 * @param createdAt when it was granted
 * @param expiresAt when it lapses unless it is confirmed
 * @param version grows by one with every change, from 1
 * @param boundTo the pod that it was confirmed for; null while it was not
 */
public record Reservation(
    String id,
    String key,
    String fingerprint,
    Colocatable asked,
    Decision.Admitted granted,
    Instant createdAt,
    Instant expiresAt,
    int version,
    @Nullable BoundPod boundTo) {

  /** The pod that took a reservation. */
  public record BoundPod(String namespace, String name, String uid) {}

  Reservation confirmedFor(BoundPod pod) {
    return new Reservation(
        id, key, fingerprint, asked, granted, createdAt, expiresAt, version + 1, pod);
  }
}
