package dev.cotenant.admission.extender;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.InputException;

/**
 * The arguments of the bind verb [k8s.io/kube-scheduler/extender/v1, ExtenderBindingArgs].
 *
 * @param pod its name
 * @param uid its uid
 * @param node the chosen node
 */
record BindingRequest(PodIdentity pod, String uid, String node) {
  /**
   * Reads the arguments.
   *
   * @throws InputException ({@code malformed-arguments}) naming the field
   */
  static BindingRequest of(JsonNode arguments) {
    return new BindingRequest(
        new PodIdentity(
            ExtenderRequest.text(arguments, "PodNamespace"),
            ExtenderRequest.text(arguments, "PodName"),
            null),
        ExtenderRequest.text(arguments, "PodUID"),
        ExtenderRequest.text(arguments, "Node"));
  }
}
