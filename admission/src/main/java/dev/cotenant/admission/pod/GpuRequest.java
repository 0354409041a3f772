package dev.cotenant.admission.pod;

import org.jspecify.annotations.Nullable;

/**
 * GPUs that a pod asks for, whatever the dialect.
 *
 * @param dialect in whose words
 * @param container the container that uses them; the first where several do
 * @param gpus how many, at least 1
 * @param memory memory declared for each; null where none is
 * @param compute compute asked for on each; null where none is
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

  GpuRequest withGpus(int other) {
    return new GpuRequest(dialect, container, other, memory, compute);
  }
}
