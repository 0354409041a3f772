package dev.cotenant.lab.memory;

import java.util.List;
import java.util.Optional;

/**
 * Decides which GPU in use a pod joins.
 *
 * @param name on the command line
 */
record MemoryPolicy(String name, Choice choice) {
  /** How a policy decides. */
  @FunctionalInterface
  interface Choice {
    /**
     * A GPU that the pod joins; empty where the pod gets a free one.
     *
     * @param gpus in use
     * @param step now
     */
    Optional<MemoryGpu> of(RecordedPod pod, List<MemoryGpu> gpus, int step);
  }
}
