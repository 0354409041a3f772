package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import org.jspecify.annotations.Nullable;

/**
 * All of a pod that a decision depends on: pods with the same question get the same answer, such as
 * the replicas of a Deployment.
 *
 * @param policy name of the policy of its namespace
 * @param nodes what it wants of nodes
 * @param claim the claim that it names, with its namespace; null where it names none
 * @param waitedTooLong whether a whole GPU is asked for as well
 */
record EquivalenceClass(
    String policy,
    GpuRequest gpu,
    WorkloadAnnotations workload,
    NodeRequirements nodes,
    @Nullable String claim,
    boolean waitedTooLong) {}
