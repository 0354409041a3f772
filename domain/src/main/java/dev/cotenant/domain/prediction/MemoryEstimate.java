package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import org.jspecify.annotations.Nullable;

/** A predicted peak of device memory with one-sided bounds, as {@link UtilizationEstimate}. */
public record MemoryEstimate(
    MemorySize mean,
    MemorySize lower,
    MemorySize upper,
    @Nullable Coverage coverage,
    @Nullable CalibrationGroup group) {
  public MemoryEstimate {
    if (!lower.isAtMost(mean) || !mean.isAtMost(upper)) {
      throw new IllegalArgumentException(
          "must hold lower <= mean <= upper, is " + lower + ", " + mean + ", " + upper);
    }
  }

  /** Of no group of measured runs. */
  public MemoryEstimate(
      MemorySize mean, MemorySize lower, MemorySize upper, @Nullable Coverage coverage) {
    this(mean, lower, upper, coverage, null);
  }
}
