package dev.cotenant.datasets.cluster;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes and the pods that came to them.
 *
 * @param name of the trace
 * @param nodes in file order
 * @param pods by the time at which they came, then by name
 * @param rejected {@code file:line: why}
 */
public record ClusterTrace(String name, List<Node> nodes, List<Pod> pods, List<String> rejected) {
  /** GPUs are shared in thousandths. */
  public static final int WHOLE_GPU_MILLI = 1000;

  public ClusterTrace {
    nodes = List.copyOf(nodes);
    pods = List.copyOf(pods);
    rejected = List.copyOf(rejected);
  }

  /**
   * A machine.
   *
   * @param name unique in the trace
   * @param cpuMilli thousandths of a core
   * @param memory of the host
   * @param gpus how many, at least 0
   * @param model of its GPUs as the trace names it
   */
  public record Node(String name, long cpuMilli, MemorySize memory, int gpus, String model) {}

  /**
   * When a pod ran.
   *
   * @param scheduledSeconds since the same instant as its creation, not before it
   * @param deletedSeconds later than the former
   */
  public record Run(long scheduledSeconds, long deletedSeconds) {}

  /**
   * The request of a pod.
   *
   * @param name unique in the trace
   * @param cpuMilli thousandths of a core
   * @param memory of the host
   * @param gpus how many, at least 0
   * @param gpuMilli thousandths of each, 1 to 1000; 0 without GPUs
   * @param models of GPUs that will do; empty where any will
   * @param createdSeconds when it came, since some instant
   * @param run when it ran; null where the trace does not say
   */
  public record Pod(
      String name,
      long cpuMilli,
      MemorySize memory,
      int gpus,
      int gpuMilli,
      List<String> models,
      long createdSeconds,
      @Nullable Run run) {
    public Pod {
      models = List.copyOf(models);
    }

    /** A pod without run times. */
    public Pod(
        String name,
        long cpuMilli,
        MemorySize memory,
        int gpus,
        int gpuMilli,
        List<String> models,
        long createdSeconds) {
      this(name, cpuMilli, memory, gpus, gpuMilli, models, createdSeconds, null);
    }

    /** Thousandths of GPUs in all. */
    public long totalGpuMilli() {
      return (long) gpus * gpuMilli;
    }

    /** Whether it requests part of one GPU. */
    public boolean isShare() {
      return gpus == 1 && gpuMilli < WHOLE_GPU_MILLI;
    }
  }
}
