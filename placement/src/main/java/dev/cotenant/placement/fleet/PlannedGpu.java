package dev.cotenant.placement.fleet;

import java.util.List;

/**
 * One GPU of a plan.
 *
 * @param device its kind
 * @param partitions of services; empty on a GPU of jobs
 * @param jobs names of the jobs that share it in time; empty on a GPU of services
 */
public record PlannedGpu(String device, List<Partition> partitions, List<String> jobs) {
  public PlannedGpu {
    partitions = List.copyOf(partitions);
    jobs = List.copyOf(jobs);
  }

  /** A GPU of services. */
  public static PlannedGpu serving(String device, List<Partition> partitions) {
    return new PlannedGpu(device, partitions, List.of());
  }

  /** A GPU of jobs. */
  public static PlannedGpu training(String device, List<String> jobs) {
    return new PlannedGpu(device, List.of(), jobs);
  }
}
