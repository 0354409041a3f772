package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter;
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
 * What the gate controller needs from outside; all of it fast and free of I/O.
 *
 * @param readings GPUs as they were measured, without pods as tenants; MIG as such
 * @param predictor predictions for registered models
 * @param decider decides
 * @param cluster takes writes, and tells later what became of them
 * @param state persists the state for the next leader
 * @param policies what is done with the pods of each namespace, as of now
 * @param optedIn whether a namespace is labelled {@code cotenant.dev/colocation=enabled}
 * @param products the product that a node's label {@code nvidia.com/gpu.product} names
 * @param corrections is told of models that need more memory than was predicted
 * @param listener is told what happened, for metrics
 * @param clock dates everything
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
    InstantSource clock) {}
