package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import org.jspecify.annotations.Nullable;

/**
 * An estimate with one-sided bounds; the enclosing key carries the unit.
 *
 * @param coverage in what share of cases like this each bound holds, as measured; null where the
 *     bounds are assumed
 */
public record BoundsView(
    @JsonProperty("mean") Number mean,
    @JsonProperty("lower") Number lower,
    @JsonProperty("upper") Number upper,
    @JsonProperty("coverage") @Nullable Double coverage) {

  /** In percent, to a thousandth. */
  public static BoundsView of(UtilizationEstimate estimate) {
    return new BoundsView(
        rounded(estimate.mean().percent()),
        rounded(estimate.lower().percent()),
        rounded(estimate.upper().percent()),
        fraction(estimate.coverage()));
  }

  /** In bytes. */
  public static BoundsView of(MemoryEstimate estimate) {
    return new BoundsView(
        estimate.mean().bytes(),
        estimate.lower().bytes(),
        estimate.upper().bytes(),
        fraction(estimate.coverage()));
  }

  /** In seconds. */
  public static BoundsView of(StepTimeEstimate estimate) {
    return new BoundsView(
        estimate.meanSeconds(),
        estimate.lowerSeconds(),
        estimate.upperSeconds(),
        fraction(estimate.coverage()));
  }

  /** In samples per second. */
  public static BoundsView of(StepTimeEstimate.Capacity capacity) {
    return new BoundsView(
        capacity.meanPerSecond(),
        capacity.lowerPerSecond(),
        capacity.upperPerSecond(),
        fraction(capacity.coverage()));
  }

  /** To a hundredth: more digits would claim more than a few groups can measure. */
  private static @Nullable Double fraction(@Nullable Coverage coverage) {
    return coverage == null ? null : Math.round(coverage.fraction() * 100) / 100.0;
  }

  private static double rounded(double percent) {
    return Math.round(percent * 1_000) / 1_000.0;
  }
}
