package dev.cotenant.admission.cluster;

/** A pod of the API server with the relevant fields. */
public sealed interface ClusterPod permits WatchedPod, PlainPod {
  String uid();

  /** Its requests, ports, labels and claims on its node. */
  Footprint footprint();
}
