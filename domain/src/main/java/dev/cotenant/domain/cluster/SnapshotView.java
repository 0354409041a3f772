package dev.cotenant.domain.cluster;

import java.util.List;

/**
 * An index derived from a snapshot, which makes decisions faster. Immutable; the snapshot keeps it,
 * and carries it along when single GPUs change.
 */
public interface SnapshotView {
  /**
   * One GPU of the snapshot has changed; uuid, node and device are as they were.
   *
   * @param position of the GPU in {@link ClusterSnapshot#gpus()}
   */
  record Change(int position, GpuSnapshot gpu) {}

  /** View of the snapshot after these changes. */
  SnapshotView with(List<Change> changes);
}
