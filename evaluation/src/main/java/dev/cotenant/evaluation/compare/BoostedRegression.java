package dev.cotenant.evaluation.compare;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import java.util.Arrays;

/**
 * Our own boosted trees on what the mean leaves over.
 *
 * @param settings how they are boosted
 */
public record BoostedRegression(BoostingSettings settings) implements RegressionLearner {
  @Override
  public String name() {
    return "boosting";
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    double mean = Arrays.stream(targets).average().orElseThrow();
    double[] rest = Arrays.stream(targets).map(target -> target - mean).toArray();
    BoostedTrees trees = new BoostingLearner(rows).fit(rest, settings, seed);
    return vector -> mean + trees.predict(vector);
  }
}
