package dev.cotenant.admission;

import dev.cotenant.domain.cluster.ClusterSource;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.placement.SharingDecider;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * What admission needs from outside; all of it fast and free of I/O.
 *
 * @param cluster the state of the cluster, without the ledger's own pods as tenants
 * @param predictor predictions for registered models
 * @param decider decides
 * @param listener is told what happened
 * @param clock dates decisions
 * @param tokens gives a new, unguessable token with every call
 */
public record AdmissionPorts(
    ClusterSource cluster,
    WorkloadPredictor predictor,
    SharingDecider decider,
    AdmissionListener listener,
    InstantSource clock,
    Supplier<String> tokens) {}
