package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import org.jspecify.annotations.Nullable;

/**
 * A pod's request for GPUs, in any dialect.
 *
 * @param dialect its dialect
 * @param container the container that uses them; the first of several
 * @param gpus at least 1
 * @param memory declared for each; null without one
 * @param compute requested of each; null without one
 */
public record GpuRequest(
    GpuDialect dialect,
    String container,
    int gpus,
    @Nullable DeclaredMemory memory,
    @Nullable ComputeShare compute) {
  public GpuRequest {
    if (gpus < 1) {
      throw new IllegalArgumentException("gpus must be at least 1, is " + gpus);
    }
  }

  /** The engine of a container that sees of each GPU what its product shows. */
  EngineRun shownTo(EngineRun run) {
    if (!dialect.showsRequestedMemory()) {
      return run;
    }
    return switch (memory) {
      case DeclaredMemory.Amount(MemorySize amount) -> run.seeing(amount);
      case DeclaredMemory.FractionOfGpu(double fraction) -> run.seeing(null, fraction);
      case null -> run;
    };
  }

  GpuRequest withGpus(int other) {
    return new GpuRequest(dialect, container, other, memory, compute);
  }
}
