package dev.cotenant.predictor.forest;

import dev.cotenant.domain.InputException;

/**
 * Regression trees in flat arrays; the estimate is the mean of the trees. Immutable.
 *
 * <p>Idea: a tree is the preorder list of its nodes. A split's left child (feature at most the
 * threshold) is the next node, so only the right child needs an offset, and that one follows from
 * the order: a list of nodes that parses is a set of proper trees, without cycles and with nothing
 * left over, whatever wrote it. A leaf carries its value where a split carries its threshold, which
 * makes five bytes a node in the file. Feature values are floats; a threshold is the largest float
 * that still goes left, so that rounding moves no row. Evaluation is O(trees × depth).
 */
public final class Forest {
  /** Marks a leaf in the list of split features. */
  static final byte LEAF = -1;

  private final int[] roots;
  private final byte[] splitFeature;
  private final float[] thresholdOrLeaf;
  private final int[] right;

  private Forest(int[] roots, byte[] splitFeature, float[] thresholdOrLeaf, int[] right) {
    this.roots = roots;
    this.splitFeature = splitFeature;
    this.thresholdOrLeaf = thresholdOrLeaf;
    this.right = right;
  }

  /**
   * Builds {@code trees} trees from their nodes in preorder, one tree after the other.
   *
   * @throws InputException ({@code malformed-forest}) when the nodes are not exactly that many
   *     trees, a split names a feature beyond the list, or a value is not finite
   */
  static Forest ofPreorder(int trees, byte[] splitFeature, float[] thresholdOrLeaf) {
    int nodes = splitFeature.length;
    if (trees < 1 || nodes != thresholdOrLeaf.length) {
      throw malformed("it has " + trees + " trees in " + nodes + " nodes");
    }
    int[] roots = new int[trees];
    int[] right = new int[nodes];
    int[] openSplits = new int[nodes];
    int next = 0;
    for (int tree = 0; tree < trees; tree++) {
      roots[tree] = next;
      next = linkTree(next, splitFeature, right, openSplits);
    }
    if (next != nodes) {
      throw malformed((nodes - next) + " nodes belong to no tree");
    }
    requireFinite(thresholdOrLeaf);
    return new Forest(roots, splitFeature.clone(), thresholdOrLeaf.clone(), right);
  }

  /** Sets the right child of every split of the tree at {@code root}; returns where it ends. */
  private static int linkTree(int root, byte[] splitFeature, int[] right, int[] openSplits) {
    int open = 0;
    for (int node = root; node < splitFeature.length; node++) {
      byte feature = splitFeature[node];
      if (feature != LEAF) {
        requireFeature(feature);
        openSplits[open++] = node;
      } else if (open == 0) {
        return node + 1;
      } else {
        right[openSplits[--open]] = node + 1;
      }
    }
    throw malformed("its last tree is incomplete");
  }

  private static void requireFeature(byte feature) {
    if (feature < 0 || feature >= Feature.count()) {
      throw malformed("a node splits on feature " + feature);
    }
  }

  private static void requireFinite(float[] values) {
    for (float value : values) {
      if (!Float.isFinite(value)) {
        throw malformed("a threshold or leaf is " + value);
      }
    }
  }

  private static InputException malformed(String what) {
    return InputException.malformed(
        "malformed-forest", "The forest is malformed: " + what + ". Train it again.");
  }

  /**
   * What the trees say.
   *
   * @param mean their mean
   * @param spread their standard deviation: how much they disagree
   */
  public record Estimate(double mean, double spread) {}

  /** Mean and spread of the trees at this vector of {@link Feature} values. */
  public Estimate estimate(float[] features) {
    double sum = 0;
    double squares = 0;
    for (int root : roots) {
      double value = thresholdOrLeaf[leafOf(root, features)];
      sum += value;
      squares += value * value;
    }
    double mean = sum / roots.length;
    return new Estimate(mean, Math.sqrt(Math.max(0, squares / roots.length - mean * mean)));
  }

  /** The mean of the trees. */
  public double predict(float[] features) {
    return estimate(features).mean();
  }

  private int leafOf(int root, float[] features) {
    int node = root;
    while (splitFeature[node] != LEAF) {
      node = features[splitFeature[node]] <= thresholdOrLeaf[node] ? node + 1 : right[node];
    }
    return node;
  }

  public int trees() {
    return roots.length;
  }

  public int nodes() {
    return splitFeature.length;
  }

  byte splitFeature(int node) {
    return splitFeature[node];
  }

  float thresholdOrLeaf(int node) {
    return thresholdOrLeaf[node];
  }
}
