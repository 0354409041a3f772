package dev.cotenant.predictor.hybrid;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.predictor.hybrid.HybridRegression.Answer;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.ResidualQuantiles;

/**
 * How far the truth may lie from an answer, in the target's log space.
 *
 * <p>Among measured runs: quantiles of residuals over the error that trees expect there. Far from
 * them: quantiles of what the prior alone misses on groups that it was not fitted to, over how far
 * off it might be. Between: as much of either as the answer itself is corrected. Immutable.
 *
 * @param difficulty logarithm of the error to expect, by covariates
 * @param familiar quantiles of residuals over that error
 * @param novel quantiles of the prior's residuals on groups left out, over its uncertainty about
 *     them
 * @param uncertainty how far off the prior may be
 */
record HybridBounds(
    BoostedTrees difficulty,
    ResidualQuantiles familiar,
    ResidualQuantiles novel,
    ParameterUncertainty uncertainty) {
  /** Offsets of an answer's bounds. */
  ResidualQuantiles offsets(Run run, Answer answer, Host host) {
    double error = Math.exp(difficulty.predict(answer.covariates().values()));
    ResidualQuantiles near = near(run, error, host);
    ResidualQuantiles far = near.widerOf(uncertainty.of(run, host).times(novel));
    double familiarity = answer.familiarity();
    return new ResidualQuantiles(
        familiarity * near.lower() + (1 - familiarity) * far.lower(),
        familiarity * near.upper() + (1 - familiarity) * far.upper());
  }

  /** On a new host runs like measured ones are as uncertain as its context. */
  private ResidualQuantiles near(Run run, double error, Host host) {
    ResidualQuantiles measured = familiar.times(error);
    return host == Host.NEW ? measured.widerOf(uncertainty.ofHost(run).times(novel)) : measured;
  }
}
