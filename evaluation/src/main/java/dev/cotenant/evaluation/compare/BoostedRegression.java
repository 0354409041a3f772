package dev.cotenant.evaluation.compare;

import dev.cotenant.predictor.boost.BoostedTrees;
import dev.cotenant.predictor.boost.BoostingLearner;
import dev.cotenant.predictor.boost.BoostingSettings;
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
    BoostedTrees trees = BoostingLearner.fit(rows, rest, settings, seed);
    return vector -> mean + trees.predict(vector);
  }
}
