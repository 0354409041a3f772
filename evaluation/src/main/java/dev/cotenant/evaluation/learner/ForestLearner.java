package dev.cotenant.evaluation.learner;

import dev.cotenant.learning.trees.BinnedForest;
import dev.cotenant.learning.trees.Tree;
import dev.cotenant.learning.trees.TreeLearner;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Chooses forest settings by out-of-bag error and grows forests, with Smile. */
public final class ForestLearner {
  /** Enough to rank settings by; ranking needs fewer trees than serving. */
  private static final int SEARCH_TREES = 16;

  private ForestLearner() {}

  /** Learns with forests of these settings; a row of weight w is repeated round(w) times. */
  public static TreeLearner of(ForestSettings settings) {
    return new BinnedForest(
        "smile-forest",
        (bins, weights, targets, seed) -> {
          int[] drawn = repeated(weights);
          return trees(
              Arrays.stream(drawn).mapToObj(row -> bins[row]).toArray(float[][]::new),
              Arrays.stream(drawn).mapToDouble(row -> targets[row]).toArray(),
              settings,
              seed);
        });
  }

  /** Smile's forest of regression trees has no weights. */
  private static int[] repeated(double[] weights) {
    return IntStream.range(0, weights.length)
        .flatMap(row -> IntStream.generate(() -> row).limit(Math.max(1, Math.round(weights[row]))))
        .toArray();
  }

  /** The settings of least out-of-bag error on these rows; the first of equals. */
  public static ForestSettings choose(
      float[][] rows, double[] targets, List<ForestSettings> grid, long seed) {
    ForestSettings best = grid.getFirst();
    if (grid.size() == 1 || !SmileForest.canGrow(rows)) {
      return best;
    }
    double least = Double.POSITIVE_INFINITY;
    for (ForestSettings candidate : grid) {
      ForestSettings small = candidate.withTrees(SEARCH_TREES);
      double error = SmileForest.grow(rows, targets, small, seed).outOfBagError();
      if (error < least) {
        least = error;
        best = candidate;
      }
    }
    return best;
  }

  /** The mean of the trees grown on at least one row. */
  public static ToDoubleFunction<float[]> grow(
      float[][] rows, double[] targets, ForestSettings settings, long seed) {
    List<Tree> trees = trees(rows, targets, settings, seed);
    return vector -> trees.stream().mapToDouble(tree -> tree.predict(vector)).average().orElse(0);
  }

  /** Rows that do not differ in any feature give their mean. */
  private static List<Tree> trees(
      float[][] rows, double[] targets, ForestSettings settings, long seed) {
    return SmileForest.canGrow(rows)
        ? SmileForest.grow(rows, targets, settings, seed).trees()
        : List.of(new Tree.Leaf((float) Arrays.stream(targets).average().orElseThrow()));
  }
}
