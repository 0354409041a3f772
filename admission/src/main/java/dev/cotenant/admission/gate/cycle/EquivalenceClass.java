package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import org.jspecify.annotations.Nullable;

/**
 * All inputs of a decision about a pod: pods of one class, such as the replicas of a Deployment,
 * have the same decision.
 *
 * @param request the inputs of its placement request
 * @param needs its needs of nodes
 * @param claim its ResourceClaim with namespace; null without one
 * @param waitedTooLong whether the fallback to a whole GPU applies
 */
record EquivalenceClass(
    RequestClass request, Needs needs, @Nullable String claim, boolean waitedTooLong) {
  /**
   * The inputs of a placement request.
   *
   * @param namespace whose risks are learned apart from those of others
   * @param policy name of its policy
   * @param trustDomain of its namespace
   * @param gpu the requested GPUs
   * @param workload the model and its settings
   */
  record RequestClass(
      String namespace,
      String policy,
      String trustDomain,
      GpuRequest gpu,
      WorkloadAnnotations workload) {}

  EquivalenceClass on(Needs others) {
    return new EquivalenceClass(request, others, claim, waitedTooLong);
  }
}
