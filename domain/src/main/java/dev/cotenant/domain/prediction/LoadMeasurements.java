package dev.cotenant.domain.prediction;

import dev.cotenant.domain.workload.Workload;

/** Port: what was measured of the load of workloads. Fast and free of I/O. */
@FunctionalInterface
public interface LoadMeasurements {
  /** Nothing was measured. */
  LoadMeasurements NONE = (_, workload) -> workload;

  /**
   * The workload with the measured load where it states none, or as it is.
   *
   * @param namespace of the workload; empty where it has none
   */
  Workload withLoad(String namespace, Workload workload);
}
