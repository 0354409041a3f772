package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Utilization;
import org.jspecify.annotations.Nullable;

/**
 * A predicted utilization with one-sided bounds: each of {@code lower} and {@code upper} holds in a
 * {@code coverage} share of cases like this one. Too low an estimate is the dangerous side, so
 * decisions use {@code upper}.
 *
 * @param coverage null where the bounds are assumed and nothing was measured
 * @param group the measured runs whose errors decided; null where there are none
 */
public record UtilizationEstimate(
    Utilization mean,
    Utilization lower,
    Utilization upper,
    @Nullable Coverage coverage,
    @Nullable CalibrationGroup group) {
  public UtilizationEstimate {
    if (lower.compareTo(mean) > 0 || mean.compareTo(upper) > 0) {
      throw new IllegalArgumentException(
          "must hold lower <= mean <= upper, is " + lower + ", " + mean + ", " + upper);
    }
  }

  /** Of no group of measured runs. */
  public UtilizationEstimate(
      Utilization mean, Utilization lower, Utilization upper, @Nullable Coverage coverage) {
    this(mean, lower, upper, coverage, null);
  }

  /** Scales all three, up to 100 %; the coverage stays. */
  public UtilizationEstimate times(double factor) {
    return new UtilizationEstimate(
        Utilization.ofPercentClipped(factor * mean.percent()),
        Utilization.ofPercentClipped(factor * lower.percent()),
        Utilization.ofPercentClipped(factor * upper.percent()),
        coverage,
        group);
  }
}
