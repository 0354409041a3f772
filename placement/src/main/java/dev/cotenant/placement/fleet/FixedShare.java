package dev.cotenant.placement.fleet;

/**
 * A partition that is given, for strategies that only choose batches.
 *
 * @param gpu which GPU of the fleet, from 0
 * @param service whose
 * @param sharePermille thousandths of the GPU
 */
public record FixedShare(int gpu, String service, int sharePermille) {}
