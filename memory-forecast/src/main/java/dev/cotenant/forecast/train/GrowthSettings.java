package dev.cotenant.forecast.train;

/**
 * How an ensemble of trees is grown.
 *
 * @param quantile that is estimated, in (0, 1)
 * @param leaves most leaves of a tree, at least 2
 * @param rounds trees one after another
 * @param ensembles sums of trees whose mean is taken; more of them vary less
 * @param learningRate share of a tree's answer that is added, in (0, 1]
 * @param leastRows fewest rows of a leaf
 */
record GrowthSettings(
    double quantile, int leaves, int rounds, int ensembles, double learningRate, int leastRows) {
  /** Rows that each tree sees, of all. */
  static final double ROW_SHARE = 0.5;

  /** Features that each tree sees, of all. */
  static final double FEATURE_SHARE = 0.4;

  @Override
  public String toString() {
    return "quantile "
        + quantile
        + ": "
        + ensembles
        + " x "
        + rounds
        + " trees of "
        + leaves
        + " leaves of at least "
        + leastRows
        + " rows, rate "
        + learningRate;
  }
}
