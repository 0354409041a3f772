package dev.cotenant.domain.workload;

import dev.cotenant.domain.quantity.Percent;

/**
 * A resource by which pods request GPU memory.
 *
 * @param name {@code nvidia.com/gpumem}
 * @param unitBytes bytes of its unit; 0 where that is a percent of a GPU
 * @param isSum whether it is a sum over the pod's GPUs, not the amount on each
 */
public record MemoryResource(String name, long unitBytes, boolean isSum) {
  /** The bytes of each of so many GPUs, of this capacity, that an amount of it requests. */
  public double bytes(double amount, double capacity, double gpus) {
    double unit = unitBytes == 0 ? capacity / Percent.WHOLE : unitBytes;
    return amount * (isSum ? unit / gpus : unit);
  }
}
