package dev.cotenant.evaluation.compare;

import dev.cotenant.learning.trees.BoostingSettings;
import java.util.List;

/**
 * Settings of a boosting library; others keep the library's defaults.
 *
 * @param rounds trees
 * @param depth splits between root and leaf
 * @param learningRate share of each tree's answer that is taken
 */
record BoosterSettings(int rounds, int depth, double learningRate) {
  /** Each tree sees this share of the rows. */
  static final double ROW_SHARE = 0.8;

  /** Rows that a leaf needs: LightGBM's default of 20 allows few splits of some 60 rows. */
  static final int LEAF_ROWS = 2;

  /** Shallow to deep, and many slow trees: four candidates. */
  static List<BoosterSettings> grid() {
    return List.of(
        new BoosterSettings(100, 2, 0.1),
        new BoosterSettings(100, 3, 0.1),
        new BoosterSettings(100, 5, 0.1),
        new BoosterSettings(300, 3, 0.05));
  }

  /** Equivalent settings of our boosting. */
  BoostingSettings ours() {
    return new BoostingSettings(rounds, depth, learningRate, ROW_SHARE, 1, LEAF_ROWS, 1);
  }
}
