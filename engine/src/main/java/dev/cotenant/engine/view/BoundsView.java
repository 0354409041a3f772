package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;

/** An estimate with one-sided bounds; the enclosing key carries the unit. */
public record BoundsView(
    @JsonProperty("mean") Number mean,
    @JsonProperty("lower") Number lower,
    @JsonProperty("upper") Number upper,
    @JsonProperty("coverage") double coverage) {

  /** In percent, to a thousandth. */
  public static BoundsView of(UtilizationEstimate estimate) {
    return new BoundsView(
        rounded(estimate.mean().percent()),
        rounded(estimate.lower().percent()),
        rounded(estimate.upper().percent()),
        estimate.coverage().fraction());
  }

  /** In bytes. */
  public static BoundsView of(MemoryEstimate estimate) {
    return new BoundsView(
        estimate.mean().bytes(),
        estimate.lower().bytes(),
        estimate.upper().bytes(),
        estimate.coverage().fraction());
  }

  private static double rounded(double percent) {
    return Math.round(percent * 1_000) / 1_000.0;
  }
}
