package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.predictor.hybrid.HybridRegression.Answer;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.ResidualQuantiles;

/**
 * How far the truth may lie from an answer, in the target's log space.
 *
 * <p>Among measured runs: quantiles of residuals over the error that trees expect there, of the
 * run's group. Far from them, and on a device without measured runs: what is missed on families and
 * devices held out. Between, from half the familiarity of an answer on: some of either. Immutable.
 *
 * @param difficulty logarithm of the error to expect, by covariates
 * @param familiar quantiles of residuals over that error, by group
 * @param far bounds of runs like no measured one
 */
record HybridBounds(BoostedTrees difficulty, FamiliarGroups familiar, FarBound far) {
  private static final String LEFT_OUT = "families and devices held out";

  /**
   * @param quantiles offsets of both bounds
   * @param coverage the requested level, or the highest that the group's rows support
   * @param group whose errors decided
   */
  record Offsets(ResidualQuantiles quantiles, Coverage coverage, CalibrationGroup group) {
    Offsets with(ResidualQuantiles others) {
      return new Offsets(others, coverage, group);
    }
  }

  /** Offsets of an answer's bounds at a level. */
  Offsets offsets(Run run, Answer answer, Host host, Coverage level) {
    ResidualQuantiles unlike = far.offsets(run, answer, host, level);
    if (far instanceof FarBound.Jackknife jackknife && jackknife.transfer().applies(run)) {
      return ofUnlike(unlike, level);
    }
    double error = Math.exp(difficulty.predict(answer.covariates().values()));
    FamiliarGroups.Found found = familiar.find(answer.nearest(), run.device().id(), level);
    ResidualQuantiles near = near(run, found.quantiles().times(error), host, level);
    ResidualQuantiles wider = near.widerOf(unlike);
    double familiarity = Math.max(0, 2 * answer.familiarity() - 1);
    ResidualQuantiles quantiles =
        new ResidualQuantiles(
            familiarity * near.lower() + (1 - familiarity) * wider.lower(),
            familiarity * near.upper() + (1 - familiarity) * wider.upper());
    return familiarity == 0
        ? ofUnlike(quantiles, level)
        : new Offsets(quantiles, found.table().reached(level), found.group());
  }

  private Offsets ofUnlike(ResidualQuantiles quantiles, Coverage level) {
    return new Offsets(
        quantiles,
        far.quantiles().reached(level),
        new CalibrationGroup(LEFT_OUT, far.quantiles().rows()));
  }

  /** On an unknown host runs like measured ones are as uncertain as its context. */
  private ResidualQuantiles near(Run run, ResidualQuantiles measured, Host host, Coverage level) {
    return host == Host.MEASURED ? measured : measured.widerOf(far.ofHost(run, level));
  }
}
