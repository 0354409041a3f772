package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.Share;

/**
 * A partition that is given, for strategies that only choose batches.
 *
 * @param gpu which GPU of the fleet, from 0
 * @param service whose
 * @param share of the GPU
 */
public record FixedShare(int gpu, String service, Share share) {}
