package dev.cotenant.predictor.forest;

import java.util.Arrays;

/**
 * How far the truth lies from an estimate, in the target's log space: one-sided quantiles of actual
 * minus predicted on rows that the forest had not seen.
 *
 * <p>Split conformal prediction: with n scores, the ⌈(n + 1) × coverage⌉-th smallest bounds the
 * next one with at least that probability when it is exchangeable with them. With too few scores
 * for the coverage the largest is taken.
 *
 * @param lower at most 0; the truth is above estimate + lower in a coverage share of cases
 * @param upper at least 0; the truth is below estimate + upper in a coverage share of cases
 */
public record ResidualQuantiles(double lower, double upper) {
  public ResidualQuantiles {
    if (!(lower <= 0 && lower > Double.NEGATIVE_INFINITY)) {
      throw new IllegalArgumentException("lower must be finite and at most 0, is " + lower);
    }
    if (!(upper >= 0 && upper < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("upper must be finite and at least 0, is " + upper);
    }
  }

  /** The quantiles of at least one residual (actual minus predicted). */
  public static ResidualQuantiles of(double[] residuals, double coverage) {
    if (residuals.length == 0) {
      throw new IllegalArgumentException("residuals must not be empty");
    }
    double[] sorted = residuals.clone();
    Arrays.sort(sorted);
    int count = sorted.length;
    int rank = Math.min(count, (int) Math.ceil((count + 1) * coverage));
    return new ResidualQuantiles(Math.min(0, sorted[count - rank]), Math.max(0, sorted[rank - 1]));
  }

  /** Both quantiles times a factor of at least 0. */
  public ResidualQuantiles times(double factor) {
    return new ResidualQuantiles(Math.min(0, lower * factor), upper * factor);
  }

  /** The wider of the two on either side. */
  public ResidualQuantiles widerOf(ResidualQuantiles other) {
    return new ResidualQuantiles(Math.min(lower, other.lower), Math.max(upper, other.upper));
  }
}
