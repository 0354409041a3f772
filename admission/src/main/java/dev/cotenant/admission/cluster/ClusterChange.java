package dev.cotenant.admission.cluster;

/** A change of an object beside GPU pods and nodes that concerns the placement of pods. */
public sealed interface ClusterChange {
  /** A pod without GPU is bound, or has changed. */
  record PodSeen(PlainPod pod) implements ClusterChange {}

  /** A pod without GPU is gone or finished. */
  record PodGone(String uid) implements ClusterChange {}

  /** A volume is new or has changed. */
  record VolumeSeen(BoundVolume volume) implements ClusterChange {}

  /** A volume is gone, or every node reaches it. */
  record VolumeGone(String name) implements ClusterChange {}

  /** A volume claim is bound. */
  record ClaimSeen(BoundClaim claim) implements ClusterChange {}

  /** A volume claim is gone. */
  record ClaimGone(String key) implements ClusterChange {}

  /** A ResourceClaim is allocated, or its allocation has changed. */
  record DevicesClaimed(ClaimedDevices claim) implements ClusterChange {}

  /** A ResourceClaim is gone, or deallocated. */
  record DevicesReleased(String key) implements ClusterChange {}

  /** A ResourceSlice is new or has changed. */
  record DevicesPublished(PublishedDevices devices) implements ClusterChange {}

  /** A ResourceSlice is gone. */
  record DevicesWithdrawn(String slice) implements ClusterChange {}
}
