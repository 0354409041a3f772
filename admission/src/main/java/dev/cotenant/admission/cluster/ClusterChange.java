package dev.cotenant.admission.cluster;

/** A change of an object that concerns the fit of pods, but no GPU. */
public sealed interface ClusterChange {
  /** A pod without GPU is bound, or has changed. */
  record PodSeen(PlainPod pod) implements ClusterChange {}

  /** A pod without GPU is gone or finished. */
  record PodGone(String uid) implements ClusterChange {}

  /** A volume is new or has changed. */
  record VolumeSeen(BoundVolume volume) implements ClusterChange {}

  /** A volume is gone, or every node reaches it. */
  record VolumeGone(String name) implements ClusterChange {}

  /** A claim is bound. */
  record ClaimSeen(BoundClaim claim) implements ClusterChange {}

  /** A claim is gone. */
  record ClaimGone(String key) implements ClusterChange {}
}
