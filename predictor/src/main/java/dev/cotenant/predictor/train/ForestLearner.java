package dev.cotenant.predictor.train;

import dev.cotenant.learning.trees.Tree;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Chooses forest settings by out-of-bag error and grows forests. */
public final class ForestLearner {
  /** Enough to rank settings by; ranking needs fewer trees than serving. */
  private static final int SEARCH_TREES = 16;

  private ForestLearner() {}

  /** The settings of least out-of-bag error on these rows; the first of equals. */
  public static ForestSettings choose(TrainingTable table, List<ForestSettings> grid, long seed) {
    ForestSettings best = grid.getFirst();
    if (grid.size() == 1 || !SmileForest.canGrow(table)) {
      return best;
    }
    double least = Double.POSITIVE_INFINITY;
    for (ForestSettings candidate : grid) {
      ForestSettings small = candidate.withTrees(SEARCH_TREES);
      double error = SmileForest.grow(table, small, seed).outOfBagError();
      if (error < least) {
        least = error;
        best = candidate;
      }
    }
    return best;
  }

  /**
   * The mean of the trees grown on at least one row; rows that do not differ in any feature give
   * their mean.
   */
  public static ToDoubleFunction<float[]> grow(
      TrainingTable table, ForestSettings settings, long seed) {
    List<Tree> trees =
        SmileForest.canGrow(table)
            ? SmileForest.grow(table, settings, seed).trees()
            : List.of(new Tree.Leaf((float) table.meanLog()));
    return vector -> trees.stream().mapToDouble(tree -> tree.predict(vector)).average().orElse(0);
  }
}
