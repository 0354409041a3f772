package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;

/**
 * A request for capacity.
 *
 * @param admissionId names the grant, from the webhook's patch to the end of the pod
 * @param request the pod, as far as it has a name, and its request
 */
public record CapacityRequest(String admissionId, Colocatable request) {
  /** The pod's name, possibly partial. */
  public PodIdentity pod() {
    return request.pod();
  }
}
