package dev.cotenant.predictor.model;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.learning.quantile.Quantiles;
import java.util.Arrays;

/**
 * One-sided conformal quantiles of held-out scores, by the level of the bound. Immutable.
 *
 * <p>A level needs ⌈level / (1 − level)⌉ scores: with fewer, the rank of the conformal quantile
 * lies beyond the largest score, which is used instead.
 */
public final class LevelQuantiles {
  private static final double[] LEVELS = {
    0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.98, 0.99, 0.995, 0.998, 0.999
  };

  private final int rows;
  private final ResidualQuantiles[] byLevel;

  /**
   * @param byLevel one for each of {@link #levels}
   * @throws IllegalArgumentException when a level is missing or no row was scored
   */
  LevelQuantiles(int rows, ResidualQuantiles... byLevel) {
    if (rows < 1 || byLevel.length != LEVELS.length) {
      throw new IllegalArgumentException(rows + " rows and " + byLevel.length + " levels");
    }
    this.rows = rows;
    this.byLevel = byLevel.clone();
  }

  /** The quantiles of at least one score (negative where the truth is below the estimate). */
  public static LevelQuantiles of(double... scores) {
    double[] weights = new double[scores.length];
    Arrays.fill(weights, 1);
    return of(scores, weights);
  }

  /** The quantiles of weighted scores. */
  public static LevelQuantiles of(double[] scores, double[] weights) {
    if (scores.length == 0) {
      throw new IllegalArgumentException("scores must not be empty");
    }
    double[] negated = Arrays.stream(scores).map(score -> -score).toArray();
    ResidualQuantiles[] byLevel = new ResidualQuantiles[LEVELS.length];
    for (int i = 0; i < LEVELS.length; i++) {
      double fraction = Math.min(1, LEVELS[i] * (scores.length + 1.0) / scores.length);
      byLevel[i] =
          new ResidualQuantiles(
              Math.min(0, -quantile(negated, weights, fraction)),
              Math.max(0, quantile(scores, weights, fraction)));
    }
    return new LevelQuantiles(scores.length, byLevel);
  }

  private static double quantile(double[] scores, double[] weights, double fraction) {
    return Quantiles.weighted(scores.clone(), weights.clone(), fraction);
  }

  /** How many scores a level needs. */
  public static int rowsFor(Coverage level) {
    double share = level.fraction();
    return share >= 1
        ? Integer.MAX_VALUE
        // 0.9 / (1 - 0.9) is a little above 9
        : (int) Math.min(Integer.MAX_VALUE, Math.ceil(share / (1 - share) * (1 - Rounding.SLACK)));
  }

  /** How many scores there were. */
  public int rows() {
    return rows;
  }

  /** Whether there are enough scores for a level. */
  public boolean supports(Coverage level) {
    return rows >= rowsFor(level) && level.fraction() <= LEVELS[LEVELS.length - 1] + Rounding.SLACK;
  }

  /** The requested level, or the highest that the scores support. */
  public Coverage reached(Coverage requested) {
    Coverage reached = Coverage.of(0);
    if (supports(requested)) {
      return requested;
    }
    for (double level : LEVELS) {
      Coverage lesser = Coverage.of(level);
      reached = level <= requested.fraction() && supports(lesser) ? lesser : reached;
    }
    return reached;
  }

  /** The quantiles of the next level that is at least the requested one, or of the highest. */
  public ResidualQuantiles at(Coverage requested) {
    int i = 0;
    while (i < LEVELS.length - 1 && LEVELS[i] < requested.fraction() - Rounding.SLACK) {
      i++;
    }
    return byLevel[i];
  }

  /** The same quantiles of fewer independent rows. */
  public LevelQuantiles ofRows(int independent) {
    return new LevelQuantiles(independent, byLevel);
  }

  /** The wider quantiles at every level, with the smaller number of rows. */
  public LevelQuantiles widerOf(LevelQuantiles other) {
    ResidualQuantiles[] wider = new ResidualQuantiles[LEVELS.length];
    for (int i = 0; i < wider.length; i++) {
      wider[i] = byLevel[i].widerOf(other.byLevel[i]);
    }
    return new LevelQuantiles(Math.min(rows, other.rows), wider);
  }

  /** No narrower at any level than a normal distribution of deviation 1. */
  public LevelQuantiles atLeastNormal() {
    ResidualQuantiles[] wider = new ResidualQuantiles[LEVELS.length];
    for (int i = 0; i < wider.length; i++) {
      double normal = Math.sqrt(2) * org.hipparchus.special.Erf.erfInv(2 * LEVELS[i] - 1);
      wider[i] = byLevel[i].widerOf(new ResidualQuantiles(-normal, normal));
    }
    return new LevelQuantiles(rows, wider);
  }

  /** How many levels there are. */
  static int levels() {
    return LEVELS.length;
  }

  ResidualQuantiles atIndex(int level) {
    return byLevel[level];
  }
}
