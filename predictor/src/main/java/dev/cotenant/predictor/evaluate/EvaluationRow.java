package dev.cotenant.predictor.evaluate;

import org.jspecify.annotations.Nullable;

/**
 * One figure of an evaluation, over seeds.
 *
 * @param task {@code utilization} or {@code memory}
 * @param protocol how rows were held out, with {@code /clean} (suspected crashes removed) or {@code
 *     /all}
 * @param model what predicted: {@code forest} or a baseline
 * @param metric {@code rmsle}, {@code mae_points}, {@code median_ape}, {@code bound_coverage},
 *     {@code bound_width}; with {@code /family} where only those test rows count
 * @param value mean over seeds
 * @param sd standard deviation over seeds
 * @param min smallest over seeds
 * @param max largest over seeds
 * @param rows test rows of one seed
 * @param seeds seeds
 * @param reference what a simple reference model reached on GPUMemNet alone under this protocol;
 *     null for baselines, where there is none, or where the rows are mostly something else
 */
public record EvaluationRow(
    String task,
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
