package dev.cotenant.forecast.trees;

/**
 * A sum of regression trees, each of which was fitted to what its predecessors left of one
 * quantile.
 *
 * <p>Immutable. An answer costs one path through each tree.
 */
public final class QuantileTrees {
  /*
   * All trees in one array of nodes, each in preorder: the left child of node i is i + 1, right[i]
   * the other. A leaf has right[i] = 0 (no right child can be node 0) and its value in place of a
   * threshold; a value of at most the threshold goes left.
   */
  private final float base;
  private final int[] roots;
  private final byte[] feature;
  private final float[] number;
  private final int[] right;

  QuantileTrees(float base, int[] roots, Nodes nodes) {
    this.base = base;
    this.roots = roots.clone();
    feature = nodes.feature();
    number = nodes.number();
    right = nodes.right();
  }

  /** The nodes as parallel arrays; not copied. */
  @SuppressWarnings("ArrayRecordComponent")
  record Nodes(byte[] feature, float[] number, int[] right) {}

  /** The quantile for these features. */
  public double predict(float[] features) {
    double sum = base;
    for (int root : roots) {
      int node = root;
      while (right[node] != 0) {
        node = features[feature[node]] <= number[node] ? node + 1 : right[node];
      }
      sum += number[node];
    }
    return sum;
  }

  /** How many trees it sums. */
  public int trees() {
    return roots.length;
  }

  float base() {
    return base;
  }

  int[] roots() {
    return roots.clone();
  }

  Nodes nodes() {
    return new Nodes(feature.clone(), number.clone(), right.clone());
  }
}
