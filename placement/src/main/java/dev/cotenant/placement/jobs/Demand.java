package dev.cotenant.placement.jobs;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;

/**
 * What a job takes of a GPU.
 *
 * @param utilization of the compute; idle where the packer does not look at it
 * @param memory of the device
 */
record Demand(Utilization utilization, MemorySize memory) {}
