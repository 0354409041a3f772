package dev.cotenant.evaluation.compare;

import dev.cotenant.predictor.model.Feature;
import java.util.Arrays;

/**
 * A baseline: the least-squares line on one feature.
 *
 * @param name in evaluation tables
 * @param feature the only one it sees
 */
record FeatureLine(String name, Feature feature) implements RegressionLearner {
  /** The mean of the training rows, whatever the request. */
  static RegressionLearner constant() {
    return new RegressionLearner() {
      @Override
      public String name() {
        return "constant";
      }

      @Override
      public Regression fit(float[][] rows, double[] targets, long seed) {
        double mean = mean(targets);
        return vector -> mean;
      }
    };
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    double meanX = Arrays.stream(rows).mapToDouble(feature::of).average().orElseThrow();
    double meanY = mean(targets);
    double covariance = 0;
    double variance = 0;
    for (int row = 0; row < rows.length; row++) {
      double dx = feature.of(rows[row]) - meanX;
      covariance += dx * (targets[row] - meanY);
      variance += dx * dx;
    }
    double slope = variance > 0 ? covariance / variance : 0;
    return vector -> meanY + slope * (feature.of(vector) - meanX);
  }

  private static double mean(double[] targets) {
    return Arrays.stream(targets).average().orElseThrow();
  }
}
