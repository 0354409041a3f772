package dev.cotenant.engine.risk;

/**
 * The speed of a configuration alone on a product.
 *
 * @param median of at least two measurements, in steps or samples per second, positive
 * @param deviation standard deviation of the error of its logarithm
 */
public record SoloSpeed(double median, double deviation) {}
