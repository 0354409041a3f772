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
    requireDepth(depth);
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
    RankedTrees.requireFinite(leaves);
    ranked =
        RankedTrees.of(
            depth, features, new RankedTrees.Splits(splitFeatures, thresholds), leaves.clone());
  }

  private BoostedTrees(RankedTrees ranked) {
    this.ranked = ranked;
  }

  private static void requireDepth(int depth) {
    if (depth < 1 || depth > BoostingSettings.MAX_DEPTH) {
      throw new IllegalArgumentException(
          "depth must be in [1, " + BoostingSettings.MAX_DEPTH + "], is " + depth);
    }
  }

  /**
   * The same trees as they are asked; making trees from it takes a fraction of the time.
   *
   * @param thresholds by feature those that occur, each once, in ascending order
   * @param nodes the roots of all trees, then the nodes of the next level, each with its feature
   *     above and the place of its threshold among that feature's in the bits below, of which there
   *     are as many as 16 leave to the number of features
   * @param leaves for each tree its 2^depth answers
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  public record Ranks(float[][] thresholds, char[] nodes, float[] leaves) {}

  /**
   * The trees of a list of nodes.
   *
   * @param depth splits between root and leaf, 1 to {@value BoostingSettings#MAX_DEPTH}
   * @param ranks not to be written any more
   * @throws IllegalArgumentException when they are no trees of that depth
   */
  public static BoostedTrees ofRanks(int depth, Ranks ranks) {
    requireDepth(depth);
    return new BoostedTrees(RankedTrees.of(depth, ranks));
  }

  /** The trees as they are asked. */
  public Ranks ranks() {
    return ranked.ranks();
  }

  /**
   * The answer for a vector of {@link #features} finite values; what is beyond is not looked at.
   */
  public double predict(float[] vector) {
    return ranked.predict(vector);
  }

  /** Trees that answer the mean of what these and others of the same depth answer. */
  public BoostedTrees averagedWith(BoostedTrees others) {
    if (depth() != others.depth() || features() != others.features()) {
      throw new IllegalArgumentException("the trees differ in depth or features");
    }
    short[] first = splitFeatures();
    short[] second = others.splitFeatures();
    short[] splits = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, splits, first.length, second.length);
    float[] halves = joined(leaves(), others.leaves());
    for (int i = 0; i < halves.length; i++) {
      halves[i] /= 2;
    }
    return new BoostedTrees(
        depth(), features(), splits, joined(thresholds(), others.thresholds()), halves);
  }

  private static float[] joined(float[] first, float[] second) {
    float[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** Number of trees. */
  public int size() {
    return ranked.trees();
  }

  public int depth() {
    return ranked.depth();
  }

  /** Length of the vectors that it judges. */
  public int features() {
    return ranked.features();
  }

  /** The features compared, tree by tree. */
  public short[] splitFeatures() {
    return ranked.splits().features();
  }

  /** The thresholds of the same nodes. */
  public float[] thresholds() {
    return ranked.splits().thresholds();
  }

  /** The answers, tree by tree. */
  public float[] leaves() {
    return ranked.ranks().leaves();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BoostedTrees that && ranked.isLike(that.ranked);
  }

  @Override
  public int hashCode() {
    return ranked.leavesHash();
  }
}
