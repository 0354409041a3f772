package dev.cotenant.compare;

import dev.cotenant.predictor.train.RegressionLearner;
import java.util.Arrays;
import org.tribuo.regression.slm.ElasticNetCDTrainer;

/**
 * Least squares on standardised features with a small elastic penalty, by Tribuo.
 *
 * @param penalty weight of the penalty against the mean squared error, above 0
 * @param absoluteShare share of the penalty that is on absolute weights (the lasso); the rest is on
 *     their squares (the ridge); 0 to 1
 */
record LinearRegression(double penalty, double absoluteShare) implements RegressionLearner {
  private static final double TOLERANCE = 1e-5;
  private static final int MOST_ITERATIONS = 2000;

  @Override
  public String name() {
    return "linear";
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    double mean = Arrays.stream(targets).average().orElseThrow();
    Scaling scaling = Scaling.standard(rows);
    if (scaling.columns() == 0) {
      return vector -> mean;
    }
    double[] rest = Arrays.stream(targets).map(target -> target - mean).toArray();
    TribuoRows tribuo = new TribuoRows(scaling.columns());
    ElasticNetCDTrainer trainer =
        new ElasticNetCDTrainer(penalty, absoluteShare, TOLERANCE, MOST_ITERATIONS, false, seed);
    Regression learned =
        tribuo.regression(trainer.train(tribuo.dataset(scaling.apply(rows), rest)), scaling);
    return vector -> mean + learned.predict(vector);
  }
}
