package dev.cotenant.predictor.model;

import dev.cotenant.learning.quantile.Quantiles;
import java.util.Arrays;

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

  /** The quantiles of at least one residual (actual minus predicted). */
  public static ResidualQuantiles of(double[] residuals, double coverage) {
    if (residuals.length == 0) {
      throw new IllegalArgumentException("residuals must not be empty");
    }
    double[] negated = Arrays.stream(residuals).map(residual -> -residual).toArray();
    return new ResidualQuantiles(
        Math.min(0, -Quantiles.conformal(negated, coverage)),
        Math.max(0, Quantiles.conformal(residuals, coverage)));
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
