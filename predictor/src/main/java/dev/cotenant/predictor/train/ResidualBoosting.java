package dev.cotenant.predictor.train;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.learning.trees.TreeLearner;

/** Learner of the shipped predictor: boosted trees on the prior's residuals. */
public final class ResidualBoosting implements TreeLearner {
  /** Below this many runs a few shallow trees are all that can be distinguished from noise. */
  public static final int FEW_RUNS = 500;

  /** Covariates that are used where few runs were measured. */
  public static final int FEW_COVARIATES = 19;

  private static final BoostingSettings FOR_FEW =
      new BoostingSettings(300, 3, 0.05, 0.7, 0.5, 3, 1);
  private static final BoostingSettings FOR_MANY =
      new BoostingSettings(750, 5, 0.04, 0.7, 0.5, 8, 3);

  /** Of thirty covariates that tell much the same, a tree is offered more. */
  private static final BoostingSettings FOR_MANY_COVARIATES =
      new BoostingSettings(750, 5, 0.04, 0.7, 0.7, 8, 3);

  @Override
  public String name() {
    return "hybrid";
  }

  @Override
  public BoostedTrees fit(float[][] rows, double[] weights, double[] targets, long seed) {
    return new BoostingLearner(rows, weights)
        .fit(targets, settings(rows.length, rows[0].length), seed);
  }

  private static BoostingSettings settings(int runs, int covariates) {
    if (runs < FEW_RUNS) {
      return FOR_FEW;
    }
    return covariates > FEW_COVARIATES ? FOR_MANY_COVARIATES : FOR_MANY;
  }
}
