package dev.cotenant.admission.gate.port;

import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import java.util.Collection;

/** Port: receives the out-of-memory failures of workloads. */
public interface MemoryCorrection {
  /** Corrects nothing. */
  MemoryCorrection NONE =
      new MemoryCorrection() {
        @Override
        public void ranOut(MemoryShortage shortage) {}

        @Override
        public void replaceAll(Collection<MemoryShortage> shortages) {}
      };

  /** A workload ran out of memory; it concerns the pods of its namespace alone. */
  void ranOut(MemoryShortage shortage);

  /** Replaces all failures, at the start of a leader or after deletions. */
  void replaceAll(Collection<MemoryShortage> shortages);
}
