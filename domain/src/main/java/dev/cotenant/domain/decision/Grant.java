package dev.cotenant.domain.decision;

import dev.cotenant.domain.prediction.Prediction;
import org.jspecify.annotations.Nullable;

/**
 * Capacity on one GPU.
 *
 * @param gpuUuid the GPU
 * @param node its node
 * @param prediction predicted behaviour on this GPU; null for an unknown model
 */
public record Grant(String gpuUuid, String node, @Nullable Prediction prediction) {}
