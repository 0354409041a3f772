package dev.cotenant.predictor.layered;

import dev.cotenant.predictor.forest.ResidualQuantiles;

/**
 * A standard deviation to either side, in a target's logarithm.
 *
 * @param below at least 0
 * @param above at least 0
 */
record Spread(double below, double above) {
  static final Spread NONE = new Spread(0, 0);

  static Spread alike(double either) {
    return new Spread(either, either);
  }

  /** Of two independent causes. */
  Spread and(double other) {
    return new Spread(Math.hypot(below, other), Math.hypot(above, other));
  }

  /** How many of these a residual is; negative below. */
  double score(double residual) {
    return residual < 0 ? residual / below : residual / above;
  }

  /** Quantiles of {@link #score scores} as offsets. */
  ResidualQuantiles times(ResidualQuantiles scores) {
    return new ResidualQuantiles(Math.min(0, scores.lower() * below), scores.upper() * above);
  }
}
