package dev.cotenant.evaluation.compare;

import dev.cotenant.evaluation.learner.TribuoRows;
import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.tribuo.Model;
import org.tribuo.regression.Regressor;
import org.tribuo.regression.slm.ElasticNetCDTrainer;

/**
 * Least squares on standardised features with a small elastic penalty, by Tribuo.
 *
 * @param penalty weight of the penalty against the mean squared error, above 0
 * @param absoluteShare share of the penalty that is on absolute weights (the lasso); the rest is on
 *     their squares (the ridge); 0 to 1
 */
record LinearRegression(double penalty, double absoluteShare) implements RegressionLearner {
  /** It reports every fit; a static reference, since loggers without one lose their level. */
  private static final Logger LOGGER = Logger.getLogger(ElasticNetCDTrainer.class.getName());

  static {
    LOGGER.setLevel(Level.WARNING);
  }

  private static final double TOLERANCE = 1e-5;
  private static final int MAX_ITERATIONS = 2000;

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
        new ElasticNetCDTrainer(penalty, absoluteShare, TOLERANCE, MAX_ITERATIONS, false, seed);
    Model<Regressor> learned = trainer.train(tribuo.dataset(scaling.apply(rows), rest));
    return vector -> mean + tribuo.predict(learned, scaling.apply(vector));
  }
}
