package dev.cotenant.predictor.hybrid.prior;

import dev.cotenant.predictor.model.ResidualQuantiles;

/**
 * A standard deviation to either side, in a target's logarithm.
 *
 * @param below at least 0
 * @param above at least 0
 */
public record StandardErrors(double below, double above) {
  public static final StandardErrors NONE = new StandardErrors(0, 0);

  public static StandardErrors alike(double either) {
    return new StandardErrors(either, either);
  }

  /** Of two independent causes. */
  public StandardErrors and(double other) {
    return new StandardErrors(Math.hypot(below, other), Math.hypot(above, other));
  }

  /** How many of these a residual is; negative below. */
  public double score(double residual) {
    return residual < 0 ? residual / below : residual / above;
  }

  /** Quantiles of {@link #score scores} as offsets. */
  public ResidualQuantiles times(ResidualQuantiles scores) {
    return new ResidualQuantiles(Math.min(0, scores.lower() * below), scores.upper() * above);
  }
}
