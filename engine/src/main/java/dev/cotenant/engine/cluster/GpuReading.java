package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;

/**
 * What is read of one GPU before anything is concluded from it.
 *
 * @param uuid the driver's name for it
 * @param node its node
 * @param device the product
 * @param capacity memory that workloads can use
 * @param tenancy who holds it
 * @param usedMemory its used-memory samples; may be empty
 */
public record GpuReading(
    String uuid,
    String node,
    Device device,
    MemorySize capacity,
    Tenancy tenancy,
    MemorySeries usedMemory) {}
