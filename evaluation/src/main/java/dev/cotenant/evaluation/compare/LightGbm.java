package dev.cotenant.evaluation.compare;

import io.github.metarank.lightgbm4j.LGBMBooster;
import io.github.metarank.lightgbm4j.LGBMBooster.FeatureImportanceType;
import io.github.metarank.lightgbm4j.LGBMDataset;
import io.github.metarank.lightgbm4j.LGBMException;
import java.util.Arrays;
import java.util.Locale;

/**
 * LightGBM, on one thread so that a seed gives one result. What it learns is read from its model
 * file and evaluated here, so that nothing native outlives the fit.
 *
 * @param settings how it grows trees
 */
record LightGbm(BoosterSettings settings) implements RegressionLearner {
  /** It counts bins and samples by itself; a bin for each value is as exact as others sort. */
  private static final String DATA =
      "min_data_in_bin=1 feature_pre_filter=false verbosity=-1 num_threads=1";

  private static final int ALL_ROUNDS = -1;

  @Override
  public String name() {
    return "lightgbm";
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    double mean = Arrays.stream(targets).average().orElseThrow();
    Scaling scaling = Scaling.none(rows);
    if (scaling.columns() == 0) {
      return vector -> mean;
    }
    float[] labels = new float[targets.length];
    for (int row = 0; row < labels.length; row++) {
      labels[row] = (float) (targets[row] - mean);
    }
    LightGbmTrees trees = LightGbmTrees.parse(train(scaling.apply(rows), labels, seed));
    return vector -> mean + trees.predict(scaling.apply(vector));
  }

  /** The model file after training. */
  String train(double[][] rows, float[] labels, long seed) {
    LightGbmLibrary.load();
    double[] flat = Arrays.stream(rows).flatMapToDouble(Arrays::stream).toArray();
    try (LGBMDataset data =
        LGBMDataset.createFromMat(flat, rows.length, rows[0].length, true, DATA, null)) {
      data.setField("label", labels);
      try (LGBMBooster booster = LGBMBooster.create(data, parameters(seed))) {
        boolean canGrow = true;
        for (int round = 0; canGrow && round < settings.rounds(); round++) {
          canGrow = !booster.updateOneIter();
        }
        return booster.saveModelToString(0, ALL_ROUNDS, FeatureImportanceType.GAIN);
      }
    } catch (LGBMException e) {
      throw new IllegalStateException("LightGBM refused " + rows.length + " finite rows", e);
    }
  }

  private String parameters(long seed) {
    return String.format(
        Locale.ROOT,
        "objective=regression max_depth=%d num_leaves=%d learning_rate=%s bagging_fraction=%s"
            + " bagging_freq=1 min_data_in_leaf=%d lambda_l2=1 deterministic=true"
            + " force_row_wise=true seed=%d %s",
        settings.depth(),
        1 << settings.depth(),
        settings.learningRate(),
        BoosterSettings.ROW_SHARE,
        BoosterSettings.LEAF_ROWS,
        Math.floorMod(seed, Integer.MAX_VALUE),
        DATA);
  }
}
