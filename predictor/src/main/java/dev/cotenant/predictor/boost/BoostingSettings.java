package dev.cotenant.predictor.boost;

/**
 * How trees are boosted.
 *
 * @param rounds trees, at least 1
 * @param depth splits between root and leaf, 1 to {@value #MAX_DEPTH}
 * @param learningRate share of each tree's answer that is taken, above 0, at most 1
 * @param rowShare share of the rows that each tree sees, above 0, at most 1
 * @param featureShare share of the features that each tree may split on, above 0, at most 1
 * @param leafWeight least sum of row weights in a leaf, above 0
 * @param shrinkage weight of the prior that a leaf answers 0 (L2 regularisation), at least 0
 */
public record BoostingSettings(
    int rounds,
    int depth,
    double learningRate,
    double rowShare,
    double featureShare,
    double leafWeight,
    double shrinkage) {
  static final int MAX_DEPTH = 10;

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
  }

  private static void requireShare(String name, double value) {
    if (!(value > 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " must be in (0, 1], is " + value);
    }
  }

  /** The same with as many trees. */
  public BoostingSettings withRounds(int trees) {
    return new BoostingSettings(
        trees, depth, learningRate, rowShare, featureShare, leafWeight, shrinkage);
  }
}
