package dev.cotenant.learning.trees;

/**
 * How trees are boosted.
 *
 * @param rounds trees, at least 1
 * @param depth most splits between root and leaf, 1 to {@value #MAX_DEPTH}
 * @param learningRate share of each tree's answer that is taken, above 0, at most 1
 * @param rowShare share of the rows that each tree sees, above 0, at most 1
 * @param featureShare share of the features that each tree may split on, above 0, at most 1
 * @param leafWeight least sum of row weights in a leaf, above 0
 * @param shrinkage weight of the prior that a leaf answers 0 (L2 regularisation), at least 0
 * @param leaves most leaves of a tree, at least 2; where they are fewer than the depth allows, the
 *     split that gains most comes first
 * @param loss what is minimised
 */
public record BoostingSettings(
    int rounds,
    int depth,
    double learningRate,
    double rowShare,
    double featureShare,
    double leafWeight,
    double shrinkage,
    int leaves,
    Loss loss) {
  /** Deeper trees than any learner here grows. */
  public static final int MAX_DEPTH = 30;

  public BoostingSettings {
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds must be at least 1, is " + rounds);
    }
    if (depth < 1 || depth > MAX_DEPTH) {
      throw new IllegalArgumentException("depth must be in [1, " + MAX_DEPTH + "], is " + depth);
    }
    requireShare("learningRate", learningRate);
    requireShare("rowShare", rowShare);
    requireShare("featureShare", featureShare);
    if (!(leafWeight > 0 && leafWeight < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("leafWeight must be positive, is " + leafWeight);
    }
    if (!(shrinkage >= 0 && shrinkage < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("shrinkage must be at least 0, is " + shrinkage);
    }
    if (leaves < 2) {
      throw new IllegalArgumentException("leaves must be at least 2, is " + leaves);
    }
  }

  /** Of the squared error, with as many leaves as the depth allows. */
  public BoostingSettings(
      int rounds,
      int depth,
      double learningRate,
      double rowShare,
      double featureShare,
      double leafWeight,
      double shrinkage) {
    this(
        rounds,
        depth,
        learningRate,
        rowShare,
        featureShare,
        leafWeight,
        shrinkage,
        Integer.MAX_VALUE,
        Loss.SQUARED);
  }

  private static void requireShare(String name, double value) {
    if (!(value > 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " must be in (0, 1], is " + value);
    }
  }
}
