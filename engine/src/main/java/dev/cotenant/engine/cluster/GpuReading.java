package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Raw readings of one GPU.
 *
 * @param uuid the driver's name for it
 * @param node its node
 * @param device the product
 * @param capacity memory that workloads can use
 * @param tenancy who holds it
 * @param usedMemory its used-memory samples; may be empty
 * @param observedUtilization how busy it was on average over the time of these samples; null where
 *     that was not measured
 * @param pods that the exporter maps to it, {@code namespace/pod}; may lag behind by seconds
 * @param index the driver's number of it on its node; null where unknown
 */
public record GpuReading(
    String uuid,
    String node,
    GpuProduct device,
    MemorySize capacity,
    Tenancy tenancy,
    MemorySeries usedMemory,
    @Nullable Utilization observedUtilization,
    List<String> pods,
    @Nullable Integer index) {
  public GpuReading {
    pods = List.copyOf(pods);
  }

  /** Of which no pods are mapped, of no known index. */
  public GpuReading(
      String uuid,
      String node,
      GpuProduct device,
      MemorySize capacity,
      Tenancy tenancy,
      MemorySeries usedMemory,
      @Nullable Utilization observedUtilization) {
    this(uuid, node, device, capacity, tenancy, usedMemory, observedUtilization, List.of(), null);
  }
}
