package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import org.jspecify.annotations.Nullable;

/**
 * A predicted wall time of one step, training or inference, with one-sided bounds as {@link
 * UtilizationEstimate}.
 *
 * @param meanSeconds expected time, above 0
 * @param lowerSeconds lower bound
 * @param upperSeconds upper bound
 * @param coverage null where the bounds are assumed
 */
public record StepTimeEstimate(
    double meanSeconds, double lowerSeconds, double upperSeconds, @Nullable Coverage coverage) {
  public StepTimeEstimate {
    boolean ordered = lowerSeconds <= meanSeconds && meanSeconds <= upperSeconds;
    if (!(lowerSeconds > 0 && ordered && upperSeconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "must hold 0 < lower <= mean <= upper < infinity, is "
              + lowerSeconds
              + ", "
              + meanSeconds
              + ", "
              + upperSeconds);
    }
  }

  /** Samples a second of back-to-back steps of a batch: the bounds change places. */
  public Capacity capacity(int batchSize) {
    return new Capacity(
        batchSize / meanSeconds, batchSize / upperSeconds, batchSize / lowerSeconds, coverage);
  }

  /** Samples a second that one workload alone can process, as {@link StepTimeEstimate}. */
  public record Capacity(
      double meanPerSecond,
      double lowerPerSecond,
      double upperPerSecond,
      @Nullable Coverage coverage) {}
}
