package dev.cotenant.learning.trees;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Boosts regression trees for a {@link Loss} on rows of features; the only tree learner here.
 *
 * <p>Same rows, weights, settings and seed give the same trees. Immutable; binning of the rows is
 * shared by all fits.
 */
public final class BoostingLearner {
  // Idea: each tree fits the loss's slope at the sum of those before [Friedman, "Greedy Function
  // Approximation: A Gradient Boosting Machine", 2001], on a random share of rows ["Stochastic
  // Gradient Boosting", 2002] and features, and gives a share of its answer. A split is worth the
  // rise of Σ (Σ w·s)² / (Σ w + λ) [Chen and Guestrin, "XGBoost", 2016, section 2]. Splits are
  // looked
  // for between histogram bins; of two siblings the smaller is summed and the larger is what is
  // left;
  // the leaf whose split gains most is split next [Ke et al., "LightGBM", 2017]. Cost: rounds ×
  // depth
  // × rows × features × shares.
  private final Bins bins;
  private final double[] weights;

  /**
   * @param rows at least one vector; all of one length, all values finite
   * @param weights how much each counts, above 0
   * @throws IllegalArgumentException when they do not fit together or a value is not finite
   */
  public BoostingLearner(float[][] rows, double[] weights) {
    require(rows, weights);
    bins = Bins.of(rows);
    this.weights = weights.clone();
  }

  /** All rows count alike. */
  public BoostingLearner(float[][] rows) {
    this(rows, alike(rows.length));
  }

  private static double[] alike(int rows) {
    double[] weights = new double[rows];
    Arrays.fill(weights, 1);
    return weights;
  }

  private static void require(float[][] rows, double[] weights) {
    if (rows.length == 0 || rows.length != weights.length) {
      throw new IllegalArgumentException(
          rows.length + " rows and " + weights.length + " weights: must be as many, at least one");
    }
    if (rows[0].length == 0 || rows[0].length > Short.MAX_VALUE) {
      throw new IllegalArgumentException(
          "vectors must have 1 to " + Short.MAX_VALUE + " values, have " + rows[0].length);
    }
    for (int i = 0; i < rows.length; i++) {
      boolean isGood =
          rows[i].length == rows[0].length
              && weights[i] > 0
              && weights[i] < Double.POSITIVE_INFINITY;
      for (float value : rows[i]) {
        isGood &= Float.isFinite(value);
      }
      if (!isGood) {
        throw new IllegalArgumentException("row " + i + " has a length or value that cannot be");
      }
    }
  }

  /**
   * Trees for these targets.
   *
   * @param targets target of each row; finite
   * @throws IllegalArgumentException when they are not as many as the rows, or not finite
   */
  public BoostedTrees fit(double[] targets, BoostingSettings settings, long seed) {
    if (targets.length != weights.length || !Arrays.stream(targets).allMatch(Double::isFinite)) {
      throw new IllegalArgumentException(
          targets.length + " targets of " + weights.length + " rows: must be as many and finite");
    }
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    float base = (float) settings.loss().start(targets, weights);
    double[] residuals = new double[targets.length];
    Arrays.setAll(residuals, row -> targets[row] - base);
    TreeGrower grower = new TreeGrower(bins, residuals, weights, settings);
    List<Tree> trees = new ArrayList<>(settings.rounds());
    for (int round = 0; round < settings.rounds(); round++) {
      int[] rows = sample(bins.rows(), settings.rowShare(), random);
      trees.add(grower.grow(rows, sample(bins.features(), settings.featureShare(), random)));
    }
    return BoostedTrees.of(base, bins.features(), trees);
  }

  /** In ascending order; at least one. */
  private static int[] sample(int count, double share, RandomGenerator random) {
    int wanted = Math.max(1, (int) Math.round(count * share));
    int[] chosen = new int[wanted];
    int taken = 0;
    for (int i = 0; taken < wanted; i++) {
      if (random.nextInt(count - i) < wanted - taken) {
        chosen[taken++] = i;
      }
    }
    return chosen;
  }
}
