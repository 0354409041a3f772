package dev.cotenant.learning.trees;

import java.util.List;

/**
 * The mean of trees that another library grows.
 *
 * <p>The library learns from the bins of the values, at most {@value Bins#MAX_BINS} a feature:
 * {@link BoostedTrees} holds few thresholds of a feature. Its thresholds on bins become thresholds
 * on values, so that both trees give the same leaf for every row. Leaves are rounded to floats.
 *
 * @param name the learner's name
 * @param grower the library
 */
public record BinnedForest(String name, Grower grower) implements TreeLearner {
  /** A library that grows trees. */
  @FunctionalInterface
  public interface Grower {
    /**
     * At least one tree; thresholds are on bins.
     *
     * @param bins by row and feature the number of the bin, from 0
     */
    List<Tree> grow(float[][] bins, double[] weights, double[] targets, long seed);
  }

  @Override
  public BoostedTrees fit(float[][] rows, double[] weights, double[] targets, long seed) {
    Bins bins = Bins.of(rows);
    List<Tree> grown = grower.grow(bins.numbers(), weights, targets, seed);
    double share = 1.0 / grown.size();
    return BoostedTrees.of(
        0, bins.features(), grown.stream().map(tree -> onValues(tree, bins).times(share)).toList());
  }

  /** A split that separates no bins is replaced by the child that has them all. */
  private static Tree onValues(Tree tree, Bins bins) {
    return switch (tree) {
      case Tree.Leaf leaf -> leaf;
      case Tree.Split(int feature, float threshold, Tree low, Tree high) -> {
        if (threshold < 0) {
          yield onValues(high, bins);
        }
        if (threshold >= bins.count(feature) - 1) {
          yield onValues(low, bins);
        }
        float value = bins.threshold(feature, (int) threshold);
        yield new Tree.Split(feature, value, onValues(low, bins), onValues(high, bins));
      }
    };
  }
}
