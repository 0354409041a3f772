package dev.cotenant.datasets.planning;

import java.util.List;

/**
 * Workloads to be planned together, and how many GPUs their source's own planner used.
 *
 * @param name of the set
 * @param workloads in file order
 * @param gpus of the source's plan
 */
public record WorkloadSet(String name, List<Workload> workloads, int gpus) {
  public WorkloadSet {
    workloads = List.copyOf(workloads);
  }

  /**
   * Inference to be served.
   *
   * @param model the name of its profile
   * @param sloMillis the objective of its latency
   * @param requestsPerSecond its rate
   */
  public record Workload(String model, double sloMillis, double requestsPerSecond) {}
}
