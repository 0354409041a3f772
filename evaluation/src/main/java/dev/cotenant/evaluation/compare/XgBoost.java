package dev.cotenant.evaluation.compare;

import dev.cotenant.evaluation.learner.TribuoRows;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.tribuo.Model;
import org.tribuo.regression.Regressor;
import org.tribuo.regression.xgboost.XGBoostRegressionTrainer;
import org.tribuo.regression.xgboost.XGBoostRegressionTrainer.RegressionType;

/**
 * XGBoost through Tribuo, on one thread so that a seed gives one result.
 *
 * @param settings how it grows trees
 */
record XgBoost(BoosterSettings settings) implements RegressionLearner {
  /** What it says where libgomp is missing is said in one line by {@link NativeLibraries}. */
  private static final Logger LOADER = Logger.getLogger("ml.dmlc.xgboost4j.java.NativeLibLoader");

  static {
    LOADER.setLevel(Level.OFF);
  }

  @Override
  public String name() {
    return "xgboost";
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    double mean = Arrays.stream(targets).average().orElseThrow();
    Scaling scaling = Scaling.none(rows);
    if (scaling.columns() == 0) {
      return vector -> mean;
    }
    double[] rest = Arrays.stream(targets).map(target -> target - mean).toArray();
    TribuoRows tribuo = new TribuoRows(scaling.columns());
    XGBoostRegressionTrainer trainer =
        new XGBoostRegressionTrainer(RegressionType.LINEAR, settings.rounds(), parameters(seed));
    Model<Regressor> learned = trainer.train(tribuo.dataset(scaling.apply(rows), rest));
    return vector -> mean + tribuo.predict(learned, scaling.apply(vector));
  }

  private Map<String, Object> parameters(long seed) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("objective", "reg:squarederror");
    parameters.put("base_score", 0);
    parameters.put("eta", settings.learningRate());
    parameters.put("max_depth", settings.depth());
    parameters.put("min_child_weight", BoosterSettings.LEAF_ROWS);
    parameters.put("subsample", BoosterSettings.ROW_SHARE);
    parameters.put("tree_method", "exact");
    parameters.put("nthread", 1);
    parameters.put("verbosity", 0);
    parameters.put("seed", Math.floorMod(seed, Integer.MAX_VALUE));
    return parameters;
  }
}
