package dev.cotenant.forecast.train;

import dev.cotenant.forecast.trees.QuantileTrees;
import dev.cotenant.forecast.trees.TreesBuilder;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Gradient boosting of the pinball loss: each tree is grown on the loss's gradient where the sum of
 * its predecessors stands, and each leaf then answers the weighted quantile of what they left.
 */
final class TreesTrainer {
  private final float[][] rows;
  private final BinnedTable table;
  private final double[] weights;

  /**
   * @param rows features of each row
   * @param weights one for each row, positive
   */
  TreesTrainer(float[][] rows, int features, double[] weights) {
    this.rows = rows;
    this.table = BinnedTable.of(rows, features);
    this.weights = weights;
  }

  /** Trees for the quantile of {@code targets}, one for each row. */
  QuantileTrees train(double[] targets, GrowthSettings settings, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] everyRow = new int[rows.length];
    Arrays.setAll(everyRow, i -> i);
    double base = quantile(everyRow, targets, settings.quantile());
    TreesBuilder all = new TreesBuilder(base);
    for (int i = 0; i < settings.ensembles(); i++) {
      all.append(boost(targets, base, settings, random.split()), 1.0 / settings.ensembles());
    }
    return all.build();
  }

  private QuantileTrees boost(
      double[] targets, double base, GrowthSettings settings, SplittableRandom random) {
    double[] left = new double[rows.length];
    Arrays.setAll(left, i -> targets[i] - base);
    double[] gradients = new double[rows.length];
    TreesBuilder trees = new TreesBuilder(base);
    for (int round = 0; round < settings.rounds(); round++) {
      for (int i = 0; i < gradients.length; i++) {
        double slope = left[i] > 0 ? settings.quantile() : settings.quantile() - 1;
        gradients[i] = weights[i] * slope;
      }
      int[] seen = seenRows(random);
      TreeGrower grower =
          new TreeGrower(
              table, new TreeGrower.Sample(gradients, weights, seenFeatures(random)), settings);
      TreesBuilder tree = new TreesBuilder(0);
      grower.grow(
          seen, leaf -> settings.learningRate() * quantile(leaf, left, settings.quantile()), tree);
      QuantileTrees grown = tree.build();
      for (int i = 0; i < left.length; i++) {
        left[i] -= grown.predict(rows[i]);
      }
      trees.append(grown, 1);
    }
    return trees.build();
  }

  /** The value below which the rows with {@code fraction} of the weight lie. */
  private double quantile(int[] some, double[] values, double fraction) {
    double[] chosen = new double[some.length];
    double[] weight = new double[some.length];
    for (int i = 0; i < some.length; i++) {
      chosen[i] = values[some[i]];
      weight[i] = weights[some[i]];
    }
    return WeightedQuantile.of(chosen, weight, fraction);
  }

  private int[] seenRows(SplittableRandom random) {
    int[] seen = new int[rows.length];
    int count = 0;
    for (int i = 0; i < rows.length; i++) {
      if (random.nextDouble() < GrowthSettings.ROW_SHARE) {
        seen[count++] = i;
      }
    }
    return Arrays.copyOf(seen, count);
  }

  private int[] seenFeatures(SplittableRandom random) {
    int count = (int) Math.ceil(GrowthSettings.FEATURE_SHARE * table.features());
    int[] shuffled = new int[table.features()];
    Arrays.setAll(shuffled, i -> i);
    for (int i = 0; i < count; i++) {
      int other = i + random.nextInt(shuffled.length - i);
      int swapped = shuffled[i];
      shuffled[i] = shuffled[other];
      shuffled[other] = swapped;
    }
    int[] seen = Arrays.copyOf(shuffled, count);
    Arrays.sort(seen);
    return seen;
  }
}
