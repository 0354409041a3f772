package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Utilization;

/**
 * A predicted utilization with one-sided bounds: each of {@code lower} and {@code upper} is meant
 * to hold in a {@code coverage} share of cases. Too low an estimate is the dangerous side, so
 * decisions use {@code upper}.
 */
public record UtilizationEstimate(
    Utilization mean, Utilization lower, Utilization upper, Coverage coverage) {
  public UtilizationEstimate {
    if (lower.compareTo(mean) > 0 || mean.compareTo(upper) > 0) {
      throw new IllegalArgumentException(
          "must hold lower <= mean <= upper, is " + lower + ", " + mean + ", " + upper);
    }
  }
}
