package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;

/** Memory that a pod declares for each of its GPUs. */
public sealed interface DeclaredMemory {
  /** The amount on a GPU with this much memory. */
  MemorySize on(MemorySize gpuMemory);

  /** A fixed amount. */
  record Amount(MemorySize memory) implements DeclaredMemory {
    @Override
    public MemorySize on(MemorySize gpuMemory) {
      return memory;
    }
  }

  /**
   * A share of the memory of the granted GPU.
   *
   * @param fraction in (0, 1)
   */
  record FractionOfGpu(double fraction) implements DeclaredMemory {
    public FractionOfGpu {
      if (!(fraction > 0 && fraction < 1)) {
        throw new IllegalArgumentException("fraction must be in (0, 1), is " + fraction);
      }
    }

    @Override
    public MemorySize on(MemorySize gpuMemory) {
      return gpuMemory.times(fraction);
    }
  }
}
