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
 * @param group the measured runs whose errors decided; null where there are none
 */
public record StepTimeEstimate(
    double meanSeconds,
    double lowerSeconds,
    double upperSeconds,
    @Nullable Coverage coverage,
    @Nullable CalibrationGroup group) {
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

  /** Another mean with these relative bounds; exactly that mean. */
  public StepTimeEstimate scaledTo(double mean) {
    return new StepTimeEstimate(
        mean,
        Math.min(mean, mean * (lowerSeconds / meanSeconds)),
        Math.max(mean, mean * (upperSeconds / meanSeconds)),
        coverage,
        group);
  }

  /** Samples a second of back-to-back steps of a batch: the bounds change places. */
  public Capacity capacity(int batchSize) {
    return new Capacity(
        batchSize / meanSeconds,
        batchSize / upperSeconds,
        batchSize / lowerSeconds,
        coverage,
        group);
  }

  /** Samples a second that one workload alone can process, as {@link StepTimeEstimate}. */
  public record Capacity(
      double meanPerSecond,
      double lowerPerSecond,
      double upperPerSecond,
      @Nullable Coverage coverage,
      @Nullable CalibrationGroup group) {}
}
