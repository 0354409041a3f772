package dev.cotenant.domain.cluster;

import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import org.jspecify.annotations.Nullable;

/**
 * One GPU of a cluster at one instant.
 *
 * @param uuid the driver's name for it, {@code GPU-…}; unique in the cluster
 * @param node the node it sits in
 * @param device the product
 * @param capacity memory that workloads can use: used + free as the driver reports it, less than
 *     the product's nominal memory
 * @param tenancy who holds it
 * @param memory its used memory: measured with forecasts, stale, or unmeasured
 * @param observedUtilization how busy it was on average over the window of the memory samples; null
 *     where that was not measured
 * @param index the driver's number of it on its node, as {@code nvidia-smi} lists it; null where
 *     unknown. Reboots may change it
 */
public record GpuSnapshot(
    String uuid,
    String node,
    GpuProduct device,
    MemorySize capacity,
    Tenancy tenancy,
    MemoryObservation memory,
    @Nullable Utilization observedUtilization,
    @Nullable Integer index) {
  public GpuSnapshot {
    if (capacity.bytes() == 0) {
      throw new IllegalArgumentException("capacity of " + uuid + " must be positive");
    }
  }

  /** A GPU of no known index. */
  public GpuSnapshot(
      String uuid,
      String node,
      GpuProduct device,
      MemorySize capacity,
      Tenancy tenancy,
      MemoryObservation memory,
      @Nullable Utilization observedUtilization) {
    this(uuid, node, device, capacity, tenancy, memory, observedUtilization, null);
  }

  /** A GPU whose utilization was not measured. */
  public GpuSnapshot(
      String uuid,
      String node,
      GpuProduct device,
      MemorySize capacity,
      Tenancy tenancy,
      MemoryObservation memory) {
    this(uuid, node, device, capacity, tenancy, memory, null);
  }

  /** The same GPU held otherwise. */
  public GpuSnapshot withTenancy(Tenancy other) {
    return new GpuSnapshot(uuid, node, device, capacity, other, memory, observedUtilization, index);
  }

  /** Copy with a different memory observation. */
  public GpuSnapshot withMemory(MemoryObservation other) {
    return new GpuSnapshot(
        uuid, node, device, capacity, tenancy, other, observedUtilization, index);
  }
}
