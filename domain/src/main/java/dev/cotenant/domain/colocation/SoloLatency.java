package dev.cotenant.domain.colocation;

import org.jspecify.annotations.Nullable;

/**
 * One inference workload alone in an MPS partition, at one batch and share.
 *
 * @param source the set and the line it comes from
 * @param model the model's name
 * @param batch samples per request batch, at least 1
 * @param sharePercent MPS share, above 0 to 100
 * @param latencyMillis mean time of a batch, positive
 * @param l2Percent L2 utilization, 0 to 100; null where not measured
 * @param bandwidthPercent memory-bandwidth utilization, 0 to 100; null where not measured
 */
public record SoloLatency(
    String source,
    String model,
    int batch,
    double sharePercent,
    double latencyMillis,
    @Nullable Double l2Percent,
    @Nullable Double bandwidthPercent) {}
