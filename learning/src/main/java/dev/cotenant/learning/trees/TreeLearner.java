package dev.cotenant.learning.trees;

/**
 * Learns trees from rows of numbers. The same rows, weights, targets and seed give the same trees.
 */
public interface TreeLearner {
  /** The name in options, files and tables, such as {@code smile-forest}. */
  String name();

  /**
   * Trees whose sum estimates the target of a row.
   *
   * @param rows at least one vector; all of one length, all values finite
   * @param weights how much each row counts, above 0
   * @param targets one for each row, finite
   * @throws IllegalArgumentException when the learner does not support such weights
   */
  BoostedTrees fit(float[][] rows, double[] weights, double[] targets, long seed);
}
