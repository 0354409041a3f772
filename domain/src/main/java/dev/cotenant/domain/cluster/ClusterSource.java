package dev.cotenant.domain.cluster;

/** Port: where snapshots come from. Fast and free of I/O; whatever polls does so beforehand. */
public interface ClusterSource {
  /** The newest snapshot; its {@code takenAt} says how new. */
  ClusterSnapshot snapshot();
}
