package dev.cotenant.predictor.boost;

import java.util.Arrays;

/**
 * A sum of regression trees of one depth. Immutable, thread safe.
 *
 * <p>Each tree is a full binary tree in an array, as in a heap: the children of node i are 2i + 1
 * (value at most the threshold) and 2i + 2. A node that was not split sends everything to its first
 * child. One row costs trees × depth comparisons.
 */
public final class BoostedTrees {
  private final int depth;
  private final int features;
  private final short[] splitFeatures;
  private final float[] thresholds;
  private final float[] leaves;
  private final RankedTrees ranked;

  /**
   * @param depth splits between root and leaf, 1 to {@value BoostingSettings#MAX_DEPTH}
   * @param features length of a feature vector
   * @param splitFeatures for each tree its 2^depth − 1 inner nodes: the feature compared
   * @param thresholds for each of the same nodes the largest value that goes to its first child
   * @param leaves for each tree its 2^depth answers
   */
  public BoostedTrees(
      int depth, int features, short[] splitFeatures, float[] thresholds, float[] leaves) {
    if (depth < 1 || depth > BoostingSettings.MAX_DEPTH) {
      throw new IllegalArgumentException(
          "depth must be in [1, " + BoostingSettings.MAX_DEPTH + "], is " + depth);
    }
    int inner = (1 << depth) - 1;
    int trees = leaves.length >> depth;
    if (leaves.length != trees << depth
        || splitFeatures.length != trees * inner
        || thresholds.length != splitFeatures.length) {
      throw new IllegalArgumentException(
          "arrays of "
              + splitFeatures.length
              + ", "
              + thresholds.length
              + " and "
              + leaves.length
              + " do not hold trees of depth "
              + depth);
    }
    for (short feature : splitFeatures) {
      if (feature < 0 || feature >= features) {
        throw new IllegalArgumentException(
            "a node splits on feature " + feature + " of " + features);
      }
    }
    for (float threshold : thresholds) {
      if (Float.isNaN(threshold)) {
        throw new IllegalArgumentException("a threshold is not a number");
      }
    }
    for (float leaf : leaves) {
      if (!Float.isFinite(leaf)) {
        throw new IllegalArgumentException("a leaf is " + leaf);
      }
    }
    this.depth = depth;
    this.features = features;
    this.splitFeatures = splitFeatures.clone();
    this.thresholds = thresholds.clone();
    this.leaves = leaves.clone();
    ranked =
        new RankedTrees(
            depth,
            features,
            new RankedTrees.Splits(this.splitFeatures, this.thresholds),
            this.leaves);
  }

  /** The answer for a vector of {@link #features} finite values. */
  public double predict(float[] vector) {
    return ranked.predict(vector);
  }

  /** Trees that answer the mean of what these and others of the same depth answer. */
  public BoostedTrees averagedWith(BoostedTrees others) {
    if (depth != others.depth || features != others.features) {
      throw new IllegalArgumentException("the trees differ in depth or features");
    }
    short[] splits =
        Arrays.copyOf(splitFeatures, splitFeatures.length + others.splitFeatures.length);
    float[] limits = Arrays.copyOf(thresholds, splits.length);
    float[] halves = Arrays.copyOf(leaves, leaves.length + others.leaves.length);
    System.arraycopy(
        others.splitFeatures, 0, splits, splitFeatures.length, others.splitFeatures.length);
    System.arraycopy(others.thresholds, 0, limits, thresholds.length, others.thresholds.length);
    System.arraycopy(others.leaves, 0, halves, leaves.length, others.leaves.length);
    for (int i = 0; i < halves.length; i++) {
      halves[i] /= 2;
    }
    return new BoostedTrees(depth, features, splits, limits, halves);
  }

  /** Number of trees. */
  public int size() {
    return leaves.length >> depth;
  }

  public int depth() {
    return depth;
  }

  /** Length of the vectors that it judges. */
  public int features() {
    return features;
  }

  /** The features compared, tree by tree. */
  public short[] splitFeatures() {
    return splitFeatures.clone();
  }

  /** The thresholds of the same nodes. */
  public float[] thresholds() {
    return thresholds.clone();
  }

  /** The answers, tree by tree. */
  public float[] leaves() {
    return leaves.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BoostedTrees that
        && depth == that.depth
        && features == that.features
        && Arrays.equals(splitFeatures, that.splitFeatures)
        && Arrays.equals(thresholds, that.thresholds)
        && Arrays.equals(leaves, that.leaves);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(leaves);
  }
}
