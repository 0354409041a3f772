package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.hybrid.HybridRegression.Answer;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.LevelQuantiles;
import dev.cotenant.predictor.model.ResidualQuantiles;

/** Bounds of runs that are like no measured one: of a new family or a new device. */
sealed interface FarBound {
  /** Scores of families and devices held out. */
  LevelQuantiles quantiles();

  /** Offsets from an answer in the target's logarithm. */
  ResidualQuantiles offsets(Run run, Answer answer, Host host, Coverage level);

  /** Offsets that a host without measured runs adds to those of a familiar run. */
  ResidualQuantiles ofHost(Run run, Coverage level);

  /**
   * Quantiles of the prior's standard error.
   *
   * @param uncertainty standard error of the prior at a run
   */
  record OfCoefficients(ParameterUncertainty uncertainty, LevelQuantiles quantiles)
      implements FarBound {
    @Override
    public ResidualQuantiles offsets(Run run, Answer answer, Host host, Coverage level) {
      return uncertainty.of(run, host).times(quantiles.at(level));
    }

    @Override
    public ResidualQuantiles ofHost(Run run, Coverage level) {
      return uncertainty.ofHost(run).times(quantiles.at(level));
    }
  }

  /**
   * A formula of its own, and the quantiles of what it misses on families and devices held out.
   *
   * @param formula fitted to absolute errors, each family on a device counting once
   */
  record Jackknife(UtilizationPrior formula, LevelQuantiles quantiles) implements FarBound {
    /** Start-up and the resolution of the counter matter below this: errors are absolute there. */
    private static final double FLOOR_PERCENT = 10;

    @Override
    public ResidualQuantiles offsets(Run run, Answer answer, Host host, Coverage level) {
      ResidualQuantiles missed = quantiles.at(level);
      double expected = floored(formula.log(run.eager()));
      return new ResidualQuantiles(
          Math.min(0, unfloored(expected + missed.lower()) - answer.log()),
          Math.max(0, unfloored(expected + missed.upper()) - answer.log()));
    }

    /** The error of the formula at a run, given log1p of the measured percent. */
    static double score(UtilizationPrior formula, Run run, double measured) {
      return floored(measured) - floored(formula.log(run.eager()));
    }

    private static double floored(double log) {
      return Math.log(Math.expm1(log) + FLOOR_PERCENT);
    }

    private static double unfloored(double floored) {
      return Math.log1p(Math.max(0, Math.exp(floored) - FLOOR_PERCENT));
    }

    @Override
    public ResidualQuantiles ofHost(Run run, Coverage level) {
      return new ResidualQuantiles(0, 0);
    }
  }
}
