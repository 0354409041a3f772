package dev.cotenant.predictor.train;

import dev.cotenant.predictor.forest.Forest;
import java.util.List;

/**
 * A random forest on vectors that begin as those of {@link dev.cotenant.predictor.forest.Feature}
 * do, grown by Smile.
 *
 * @param settings how it is grown
 */
public record ForestRegression(ForestSettings settings) implements RegressionLearner {
  /** The family of [UtilPred, Table 3]. */
  private static final String NAME = "forest";

  /** Forests of so many trees, the settings chosen by five-fold cross-validation. */
  public static RegressionLearner searched(int trees) {
    List<ForestRegression> grid =
        ForestSettings.grid(trees).stream().map(ForestRegression::new).toList();
    return new CrossValidated(NAME, grid);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    Forest forest = ForestLearner.grow(TrainingTable.ofVectors(rows, targets), settings, seed);
    return forest::predict;
  }
}
