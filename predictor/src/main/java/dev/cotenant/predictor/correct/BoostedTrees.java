package dev.cotenant.predictor.correct;

import java.util.ArrayList;
import java.util.List;

/**
 * A sum of small regression trees, each grown on what the ones before leave.
 *
 * @param trees in the order of growth; shrinkage is in their leaves
 */
record BoostedTrees(List<RegressionTree> trees) {
  /** Small steps on shallow trees: a few hundred rows carry no more [Friedman 2001, section 5]. */
  private static final int ROUNDS = 80;

  private static final double SHRINKAGE = 0.1;

  BoostedTrees {
    trees = List.copyOf(trees);
  }

  /**
   * Grows trees; the same rows in the same order give the same trees.
   *
   * @param features a row each, as {@link QuestionFeatures} encodes it; not changed
   * @param errors what is to be explained, one a row; not changed
   */
  static BoostedTrees fit(double[][] features, double[] errors) {
    double[] left = errors.clone();
    TreeGrower grower = new TreeGrower(features);
    List<RegressionTree> trees = new ArrayList<>(ROUNDS);
    for (int round = 0; round < ROUNDS; round++) {
      RegressionTree tree = grower.grow(left, SHRINKAGE);
      trees.add(tree);
      for (int row = 0; row < left.length; row++) {
        left[row] -= tree.predict(features[row]);
      }
    }
    return new BoostedTrees(trees);
  }

  /** What to add in log space for a question encoded by {@link QuestionFeatures}. */
  double predict(double[] features) {
    double sum = 0;
    for (RegressionTree tree : trees) {
      sum += tree.predict(features);
    }
    return sum;
  }
}
