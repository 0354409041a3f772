package dev.cotenant.admission.cluster;

/**
 * A bound, live pod without relation to GPUs.
 *
 * @param uid its uid
 * @param namespace its namespace
 * @param node its node
 * @param footprint its requests, ports, labels and claims on the node
 */
public record PlainPod(String uid, String namespace, String node, Footprint footprint)
    implements ClusterPod {}
