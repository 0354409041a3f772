package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;

/**
 * Who wants capacity, and for what.
 *
 * @param token names the grant from the webhook's patch to the pod's end
 * @param asked the pod as far as it has a name, and what it asks for
 */
public record Claim(String token, Colocatable asked) {
  private static final String ASSUMED = "extender:";

  /** The token under which capacity is held for a pod before its scheduler has bound it. */
  public static String tokenOf(String uid) {
    return ASSUMED + uid;
  }

  /** The pod as far as it has a name. */
  public PodIdentity pod() {
    return asked.pod();
  }
}
