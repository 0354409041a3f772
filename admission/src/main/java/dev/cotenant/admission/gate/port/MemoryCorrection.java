package dev.cotenant.admission.gate.port;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;

/** Port: receives the out-of-memory failures of workloads. */
@FunctionalInterface
public interface MemoryCorrection {
  /**
   * A workload ran out of memory.
   *
   * @param workload model, batch and settings
   * @param device the product
   * @param atLeast the granted memory, which was too little
   */
  void ranOut(Workload workload, DeviceId device, MemorySize atLeast);
}
