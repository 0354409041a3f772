package dev.cotenant.simulator.memory;

import java.util.List;
import java.util.Optional;

/** Who decides which GPU in use a pod joins. */
interface MemoryPolicy {
  /** As it is asked for. */
  String name();

  /**
   * A GPU that the pod joins; none where it gets a free one.
   *
   * @param gpus on which somebody is
   * @param step now
   */
  Optional<MemoryGpu> choose(RecordedPod pod, List<MemoryGpu> gpus, int step);
}
