package dev.cotenant.admission.gate;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;

/** Port: is told of workloads that ran out of the memory that they were predicted to need. */
@FunctionalInterface
public interface MemoryCorrection {
  /**
   * A workload was killed for lack of memory.
   *
   * @param workload model, batch and settings
   * @param device on which product
   * @param atLeast what it was granted, and was not enough
   */
  void ranOut(Workload workload, DeviceId device, MemorySize atLeast);
}
