package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;

/**
 * Who wants room, and for what.
 *
 * @param token names the grant from the webhook's patch to the pod's end
 * @param asked the pod as far as it has a name, and what it asks for
 */
public record Claim(String token, Colocatable asked) {
  /** The pod as far as it has a name. */
  public PodIdentity pod() {
    return asked.pod();
  }
}
