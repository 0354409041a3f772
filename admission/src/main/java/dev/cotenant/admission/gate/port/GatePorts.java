package dev.cotenant.admission.gate.port;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.domain.cluster.ClusterSource;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.placement.SharingDecider;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The dependencies of the gate controller; all fast and free of I/O.
 *
 * @param readings measured GPUs without pods as tenants; MIG as such
 * @param predictor predictions for registered models
 * @param decider decides
 * @param cluster writes to the cluster, asynchronously
 * @param state persists the leader state
 * @param policies the current policies
 * @param optedIn whether a namespace is labelled {@code cotenant.dev/colocation=enabled}
 * @param products the device of a node's label {@code nvidia.com/gpu.product}
 * @param corrections receives out-of-memory failures of models
 * @param listener receives the controller's actions
 * @param clock the clock
 */
public record GatePorts(
    ClusterSource readings,
    WorkloadPredictor predictor,
    SharingDecider decider,
    ClusterWriter cluster,
    LeaderStateSaver state,
    Supplier<Policies> policies,
    Predicate<String> optedIn,
    Function<String, Optional<Device>> products,
    MemoryCorrection corrections,
    GateListener listener,
    InstantSource clock) {
  /** Whether a scheduler may preempt other pods for what a pod needs beside GPUs. */
  public boolean mayPreempt(WatchedPod pod) {
    return pod.scheduling().priority() > 0 && isPlacedByScheduler(pod);
  }

  /** Whether a scheduler chooses the node of a pod through the extender. */
  public boolean isPlacedByScheduler(WatchedPod pod) {
    String namespace = pod.pod().namespace();
    String decision = pod.annotations().getOrDefault(CotenantAnnotations.DECISION, "");
    return !decision.equals(GrantAnnotations.UNMANAGED)
        && optedIn.test(namespace)
        && policies.get().isPlacedBy(pod.scheduling().schedulerName(), namespace);
  }
}
