package dev.cotenant.admission.gate.port;

import dev.cotenant.admission.state.LeaderState.MemoryShortage;

/** Port: receives the out-of-memory failures of workloads. */
@FunctionalInterface
public interface MemoryCorrection {
  /** A workload ran out of memory; it concerns the pods of its namespace alone. */
  void ranOut(MemoryShortage shortage);
}
