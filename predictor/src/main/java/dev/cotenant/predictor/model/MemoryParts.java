package dev.cotenant.predictor.model;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * What the formula of peak memory is the sum of; what measured runs say beside it is not in it.
 *
 * @param process driver context and libraries
 * @param weights with the moments of the optimizer
 * @param gradients with temporaries of the optimizer's step, as far as they do not reuse memory of
 *     saved activations
 * @param activations saved for the backward pass, or alive at the largest step of inference
 * @param workspaces of convolutions
 */
public record MemoryParts(
    MemorySize process,
    MemorySize weights,
    MemorySize gradients,
    MemorySize activations,
    MemorySize workspaces) {}
