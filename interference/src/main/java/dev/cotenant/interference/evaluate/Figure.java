package dev.cotenant.interference.evaluate;

import org.jspecify.annotations.Nullable;

/**
 * One figure of an evaluation, over seeds.
 *
 * @param protocol which rows were held out and what was learnt from
 * @param model what predicted
 * @param metric {@code mape} (percent), {@code median_ape}, {@code p90_ape}, {@code p95_ape},
 *     {@code mae}, {@code bound_coverage}, {@code lower_bound_coverage}, {@code pinball} or {@code
 *     factor}
 * @param value mean over seeds
 * @param sd standard deviation over seeds
 * @param min smallest over seeds
 * @param max largest over seeds
 * @param rows test rows of one seed
 * @param seeds seeds
 * @param reference what a simple reference or the paper reached; null where there is none
 */
public record Figure(
    String protocol,
    String model,
    String metric,
    double value,
    double sd,
    double min,
    double max,
    int rows,
    int seeds,
    @Nullable Double reference) {}
