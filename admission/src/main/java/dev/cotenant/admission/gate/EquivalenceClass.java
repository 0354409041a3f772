package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import org.jspecify.annotations.Nullable;

/**
 * All inputs of a decision about a pod: pods of one class, such as the replicas of a Deployment,
 * have the same decision.
 *
 * @param policy name of the policy of its namespace
 * @param nodes its requirements on nodes
 * @param claim its ResourceClaim with namespace; null without one
 * @param waitedTooLong whether the fallback to a whole GPU applies
 */
record EquivalenceClass(
    String policy,
    GpuRequest gpu,
    WorkloadAnnotations workload,
    NodeRequirements nodes,
    @Nullable String claim,
    boolean waitedTooLong) {
  EquivalenceClass on(NodeRequirements others) {
    return new EquivalenceClass(policy, gpu, workload, others, claim, waitedTooLong);
  }
}
