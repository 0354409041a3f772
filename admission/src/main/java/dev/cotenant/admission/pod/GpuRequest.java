package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;
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

  /** What containers see as the memory of each GPU; null where they see all of it, or a share. */
  @Nullable MemorySize shownMemory() {
    return dialect.showsRequestedMemory() && memory instanceof DeclaredMemory.Amount(MemorySize one)
        ? one
        : null;
  }

  GpuRequest withGpus(int other) {
    return new GpuRequest(dialect, container, other, memory, compute);
  }
}
