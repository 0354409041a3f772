package dev.cotenant.predictor.model;

import dev.cotenant.learning.quantile.Quantiles;

/**
 * How far the truth lies from an estimate, in the target's log space: one-sided quantiles of actual
 * minus predicted on rows that the model had not seen.
 *
 * <p>Split conformal prediction, {@link Quantiles#conformal}.
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

  /** Both quantiles times a factor of at least 0. */
  public ResidualQuantiles times(double factor) {
    return new ResidualQuantiles(Math.min(0, lower * factor), upper * factor);
  }

  /** The wider of the two on either side. */
  public ResidualQuantiles widerOf(ResidualQuantiles other) {
    return new ResidualQuantiles(Math.min(lower, other.lower), Math.max(upper, other.upper));
  }
}
