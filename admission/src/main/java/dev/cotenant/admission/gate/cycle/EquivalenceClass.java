package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * All inputs of a decision about a pod: pods of one class, such as a Deployment's replicas, get the
 * same decision.
 *
 * @param request the inputs of its placement request
 * @param needs its needs of nodes
 * @param claim its ResourceClaim with namespace; null without one
 * @param waitedTooLong whether the fallback to a whole GPU applies
 * @param alone how long it is alone at first, where it was never measured; zero where it may share
 */
record EquivalenceClass(
    RequestClass request,
    Needs needs,
    @Nullable String claim,
    boolean waitedTooLong,
    Duration alone) {
  /**
   * The inputs of a placement request.
   *
   * @param namespace namespace with its own risk model
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
    return new EquivalenceClass(request, others, claim, waitedTooLong, alone);
  }
}
