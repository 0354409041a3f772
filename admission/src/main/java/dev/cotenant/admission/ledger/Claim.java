package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.quantity.Slowdown;

/**
 * Who wants room.
 *
 * @param token names the grant from the webhook's patch to the pod's end
 * @param pod the pod as far as it has a name
 * @param slowdownLimit the most it is promised to be slowed down
 */
public record Claim(String token, PodIdentity pod, Slowdown slowdownLimit) {}
