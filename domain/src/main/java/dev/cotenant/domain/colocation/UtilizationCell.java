package dev.cotenant.domain.colocation;

/**
 * What one model at one batch uses of a whole GPU.
 *
 * @param source the set and the line it comes from
 * @param device the GPU, as the set names it
 * @param model the model's name
 * @param batch samples per request batch, at least 1
 * @param l2Percent L2 utilization, 0 to 100
 * @param bandwidthPercent memory-bandwidth utilization, 0 to 100
 */
public record UtilizationCell(
    String source,
    String device,
    String model,
    int batch,
    double l2Percent,
    double bandwidthPercent) {}
