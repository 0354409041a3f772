package dev.cotenant.forecast.evaluate;

/**
 * One figure of an evaluation.
 *
 * @param protocol {@code pod-out} (trained on other devices of the same set) or {@code given-test}
 *     (the shipped model); {@code pod-out/last-fold} is the part whose devices no design choice saw
 * @param model {@code peak-bound} or a baseline, with its window: {@code p80/W=30}
 * @param metric {@code mae_mib} and {@code mae_ratio} (to persistence) of the next sample; of the
 *     bound on the peak {@code coverage}, {@code headroom_mib}, {@code restart_coverage}, {@code
 *     violation_5_percent}, {@code worst_device_coverage}; {@code answered}
 * @param value over all windows
 * @param min smallest over folds
 * @param max largest over folds
 * @param sd standard deviation over folds
 * @param rows windows; after a restart where the metric says so
 * @param folds how many
 */
public record ForecastFigure(
    String protocol,
    String model,
    String metric,
    double value,
    double min,
    double max,
    double sd,
    int rows,
    int folds) {}
