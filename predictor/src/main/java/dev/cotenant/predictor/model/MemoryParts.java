package dev.cotenant.predictor.model;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * Summands of the peak-memory formula, before corrections by measured runs.
 *
 * @param process driver context and libraries
 * @param weights including the moments of the optimizer
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
