package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.CalibrationGroup;
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
 * @param calibration the measured runs whose errors decided the bounds; absent where there are none
 */
public record BoundsView(
    @JsonProperty("mean") Number mean,
    @JsonProperty("lower") Number lower,
    @JsonProperty("upper") Number upper,
    @JsonProperty("coverage") @Nullable Double coverage,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("calibration")
        @Nullable CalibrationView calibration) {

  /**
   * A group of measured runs.
   *
   * @param group a family on a device, a family, a device, all rows, or the sets of step times
   * @param rows held-out errors in it, at least 1
   */
  public record CalibrationView(
      @JsonProperty("group") String group, @JsonProperty("rows") int rows) {
    private static @Nullable CalibrationView of(@Nullable CalibrationGroup group) {
      return group == null ? null : new CalibrationView(group.name(), group.rows());
    }
  }

  /** In percent, to a thousandth. */
  public static BoundsView of(UtilizationEstimate estimate) {
    return new BoundsView(
        rounded(estimate.mean().percent()),
        rounded(estimate.lower().percent()),
        rounded(estimate.upper().percent()),
        fraction(estimate.coverage()),
        CalibrationView.of(estimate.group()));
  }

  /** In bytes. */
  public static BoundsView of(MemoryEstimate estimate) {
    return new BoundsView(
        estimate.mean().bytes(),
        estimate.lower().bytes(),
        estimate.upper().bytes(),
        fraction(estimate.coverage()),
        CalibrationView.of(estimate.group()));
  }

  /** In seconds. */
  public static BoundsView of(StepTimeEstimate estimate) {
    return new BoundsView(
        estimate.meanSeconds(),
        estimate.lowerSeconds(),
        estimate.upperSeconds(),
        fraction(estimate.coverage()),
        CalibrationView.of(estimate.group()));
  }

  /** In samples per second. */
  public static BoundsView of(StepTimeEstimate.Capacity capacity) {
    return new BoundsView(
        capacity.meanPerSecond(),
        capacity.lowerPerSecond(),
        capacity.upperPerSecond(),
        fraction(capacity.coverage()),
        CalibrationView.of(capacity.group()));
  }

  private static @Nullable Double fraction(@Nullable Coverage coverage) {
    return coverage == null ? null : coverage.perMille() / 1_000.0;
  }

  private static double rounded(double percent) {
    return Math.round(percent * 1_000) / 1_000.0;
  }
}
